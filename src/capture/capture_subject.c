/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the process where that is permitted: outside the sandbox. */
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/base/reserve.h"
#include "lib/procfs/process_lock.h"
#include "src/capture/capture_priv.h"

static bool open_process(const struct capture_options *options,
			 struct capture_subject *ret, struct err *err)
{
	ret->live = options->way == CAPTURE_LIVE || options->service
			    ? target_live_open_to_read(options->pid, err)
			    : target_live_open(options->pid, err);
	ret->process = ret->live ? process_read(options->pid, err) : NULL;
	return ret->process != NULL;
}

/* One that stands still for us does not wait, but is not copied beside another. */
static bool take_turn(const struct capture_options *options, int *ret, struct err *err)
{
	const uint64_t wait_ns = options->stands ? 0 : LIMIT_PROCESS_LOCK_NS;
	struct err why;

	if (options->way == CAPTURE_LIVE ||
	    process_lock_take(options->pid, wait_ns, ret, &why) ||
	    (options->stands && err_is(&why, ERR_CANNOT)))
		return true;
	*err = why;
	return false;
}

bool capture_find(const struct capture_options *options, struct capture_subject *ret,
		  struct err *err)
{
	*ret = (struct capture_subject){ .turn = -1 };
	AUTO(reserve_free)
	struct reserve *all = reserve_new(FILES_BEFORE + FILES_AFTER, err);

	if (!all)
		return false;
	reserve_free(TAKE(all));
	if (!take_turn(options, &ret->turn, err))
		return false;
	if (open_process(options, ret, err))
		return true;
	capture_subject_done(ret);
	return false;
}

void capture_subject_done(struct capture_subject *subject)
{
	target_close(TAKE(subject->live));
	process_free(TAKE(subject->process));
	if (subject->turn >= 0)
		close(subject->turn);
	subject->turn = -1;
}
