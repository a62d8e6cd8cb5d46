/* SPDX-License-Identifier: Apache-2.0 */
#include "src/bpf/ability.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "tests/unit/unit.h"

static const struct bpf_facts all = { true, true, true, false, true, 6, 1, true, true };

static void can(void **state)
{
	struct bpf_facts newer = all, unknown = all, without_admin = all;
	struct err err;

	(void)state;
	newer.linux_major = 7;
	newer.linux_minor = 0;
	without_admin.linux_minor = 6;
	without_admin.admin = false;
	unknown.linux_major = unknown.linux_minor = 0;
	assert_true(bpf_judge(&all, &err));
	assert_true(bpf_judge(&newer, &err));
	assert_true(bpf_judge(&without_admin, &err));
	assert_true(bpf_judge(&unknown, &err));
}

static void cannot(void **state)
{
	static const struct {
		struct bpf_facts facts;
		enum err_code code;
		const char *words;
	} cases[] = {
		{ { false, true, true, false, true, 6, 1, true, true },
		  ERR_UNSUPPORTED,
		  "built without" },
		{ { true, false, true, false, true, 6, 1, true, true },
		  ERR_CANNOT,
		  "containers" },
		{ { true, true, true, false, false, 6, 1, true, true },
		  ERR_PERMISSION,
		  "as root" },
		{ { true, true, true, false, true, 6, 0, true, true },
		  ERR_UNSUPPORTED,
		  "Linux 6.0 is too old" },
		{ { true, true, true, false, true, 5, 15, true, true },
		  ERR_UNSUPPORTED,
		  "Linux 5.15 is too old" },
		{ { true, true, false, false, true, 6, 1, true, true },
		  ERR_UNSUPPORTED,
		  "BTF" },
		{ { true, true, true, true, true, 6, 1, true, true },
		  ERR_CANNOT,
		  "lockdown=integrity" },
		{ { true, true, true, false, true, 6, 5, false, true },
		  ERR_PERMISSION,
		  "Linux 6.5 attaches probes only for CAP_SYS_ADMIN" },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_false(bpf_judge(&cases[i].facts, &err));
		assert_int_equal(err.code, cases[i].code);
		assert_non_null(strstr(err.text, cases[i].words));
	}
}

/* Older ones stop processes where they cannot keep a thread. */
static void by_hold(void **state)
{
	static const struct {
		unsigned major, minor;
		enum fault_hold hold_by;
		const char *words; /* NULL: it can */
	} cases[] = {
		{ 6, 1, FAULT_HOLD_SPIN, NULL },
		{ 6, 0, FAULT_HOLD_SPIN,
		  "Linux 6.0 is too old for the programs of "
		  "gosnap: they need Linux 6.1" },
		{ 6, 0, FAULT_HOLD_ABLE, NULL },
		{ 5, 15, FAULT_HOLD_ABLE, NULL },
		{ 5, 15, FAULT_HOLD_STOP, NULL },
		{ 5, 14, FAULT_HOLD_ABLE, "need Linux 5.15" },
		{ 5, 14, FAULT_HOLD_STOP, "need Linux 5.15" },
		{ 4, 19, FAULT_HOLD_STOP, "need Linux 5.15" },
		{ 0, 0, FAULT_HOLD_SPIN, NULL },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bpf_facts facts = all;
		facts.linux_major = cases[i].major;
		facts.linux_minor = cases[i].minor;
		if (!cases[i].words) {
			assert_true(bpf_judge_faults(&facts, cases[i].hold_by, &err));
			continue;
		}
		assert_false(bpf_judge_faults(&facts, cases[i].hold_by, &err));
		assert_int_equal(err.code, ERR_UNSUPPORTED);
		assert_non_null(strstr(err.text, cases[i].words));
	}
}

/* Who is stopped must be let go, whosever process it is. */
static void may_stop(void **state)
{
	struct bpf_facts facts = all;
	struct err err;

	(void)state;
	assert_true(bpf_judge_stops(&facts, &err));
	facts.may_signal = false;
	assert_true(bpf_judge_faults(&facts, FAULT_HOLD_STOP, &err));
	assert_false(bpf_judge_stops(&facts, &err));
	assert_int_equal(err.code, ERR_PERMISSION);
	assert_non_null(strstr(err.text, "CAP_KILL"));
}

enum { IS_WHOLE = 1, NOT_PERMITTED };

static int wait_for(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

/* The machine's process numbers are not seen in a namespace. */
static void in_a_namespace(void **state)
{
	struct bpf_facts facts;
	pid_t inner;
	(void)state;
	const pid_t pid = fork();

	if (pid == 0) {
		if (unshare(CLONE_NEWPID) < 0)
			_exit(NOT_PERMITTED);
		inner = fork();
		if (inner)
			_exit(wait_for(inner));
		bpf_facts_read(&facts);
		_exit(facts.whole ? IS_WHOLE : 0);
	}
	const int told = wait_for(pid);
	if (told == NOT_PERMITTED)
		skip();
	assert_int_equal(told, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hold),
		cmocka_unit_test(may_stop),
		cmocka_unit_test(can),
		cmocka_unit_test(cannot),
		cmocka_unit_test(in_a_namespace),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
