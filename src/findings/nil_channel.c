/* SPDX-License-Identifier: Apache-2.0 */
/* Goroutines that send to a nil channel: that never ends, and nobody writes it on purpose.
 * To receive from one is what a context that is never cancelled makes of Done(), and an
 * empty select is how main functions wait: neither is told. */
#include <inttypes.h>

#include "src/findings/finding.h"

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
	const struct groups *groups = f->about.groups;

	for (size_t i = 0; i < groups->count; i++) {
		const struct group *group = &groups->list[i];
		uint32_t first = groups->members[group->first];
		if (!sends_to_nil(f, first))
			continue;
		struct finding *finding =
			finding_add(f, "nil_channel", SEVERITY_WARNING, group->count,
				    "Make the channel before anybody sends to it.");
		text_add_counted(&finding->text, group->count, "goroutine");
		text_add(&finding->text, group->count == 1 ? " sends to a nil channel"
							   : " send to a nil channel");
		say_where(f, &finding->text, first);
		text_add(&finding->text, ", and will never go on.");
		for (uint32_t m = 0; m < group->count; m++)
			finding_shows_goroutine(f, finding,
						groups->members[group->first + m]);
	}
}
