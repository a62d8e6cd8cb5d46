/* SPDX-License-Identifier: Apache-2.0 */
/* Finds goroutines that send to a nil channel: that never ends, and is never written on
 * purpose. Two similar waits are not reported. Done() of a context that is never
 * cancelled returns a nil channel to receive from, and main functions wait in an empty
 * select. */
#include "src/findings/crowd.h"

static bool sends_to_nil(const struct finder *f, uint32_t i)
{
	struct goroutine_of it = finder_goroutine(f, i);
	struct wait wait;

	return runtime_wait(it.runtime, it.goroutine, &wait) &&
	       wait.kind == WAIT_CHANNEL && wait.operation == WAIT_SEND &&
	       wait.channel.addr == 0 && !wait.unreadable;
}

void finding_nil_channel(struct finder *f)
{
	struct crowds crowds;

	crowds_find(&crowds, f, sends_to_nil);
	for (size_t i = 0; i < crowds.count; i++) {
		const struct crowd *crowd = &crowds.list[i];
		struct finding *finding =
			finding_add(f, "nil_channel", SEVERITY_WARNING, crowd->count,
				    "Make the channel before anybody sends to it.");
		text_add_counted(&finding->text, crowd->count, "goroutine");
		text_add(&finding->text, crowd->count == 1 ? " sends to a nil channel"
							   : " send to a nil channel");
		say_where(f, &finding->text, crowd->first);
		text_add(&finding->text, ", and will never go on.");
		crowd_shows(crowd, finding);
	}
	crowds_done(&crowds);
}
