/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/procfs/cgroup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

/* As machines write it: unified, version 1 beside 2, in a container, with an odd mount. */
static const char unified[] = "24 30 0:22 / /proc rw,nosuid - proc proc rw\n"
			      "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 "
			      "cgroup2 rw,nsdelegate\n";
static const char hybrid[] =
	"31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
	"33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
	"35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	"40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
	"41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
static const char container[] =
	"812 790 0:32 /docker/4f /sys/fs/cgroup/memory ro master:15 - cgroup cgroup "
	"rw,memory\n";
static const char odd[] = "9 1 0:9 / /mnt/my\\040groups rw - cgroup2 none rw\n";

static void test_folders(void **state)
{
	static const struct {
		const char *mounts, *groups, *controller, *folder;
		size_t top;
	} cases[] = {
		{ unified, "0::/system.slice/a.service\n", "",
		  "/sys/fs/cgroup/system.slice/a.service", 14 },
		{ unified, "0::/\n", "", "/sys/fs/cgroup", 14 },
		{ unified, "0::/a\n", "memory", NULL, 0 },
		{ unified, "0::/../outside\n", "", NULL, 0 },
		{ hybrid, "4:memory:/a/b\n0::/u\n", "memory", "/sys/fs/cgroup/memory/a/b",
		  21 },
		{ hybrid, "4:memory:/a/b\n0::/u\n", "", "/sys/fs/cgroup/unified/u", 22 },
		{ hybrid, "2:cpu,cpuacct:/c\n", "cpuacct", "/sys/fs/cgroup/cpu,cpuacct/c",
		  26 },
		{ hybrid, "2:cpu,cpuacct:/c\n", "cpua", NULL, 0 },
		{ hybrid, "4:memory:/a\n", "pids", NULL, 0 },
		{ container, "4:memory:/docker/4f/x\n", "memory",
		  "/sys/fs/cgroup/memory/x", 21 },
		{ container, "4:memory:/docker/4f\n", "memory", "/sys/fs/cgroup/memory",
		  21 },
		{ container, "4:memory:/docker/4fx\n", "memory", NULL, 0 },
		{ container, "4:memory:/other\n", "memory", NULL, 0 },
		{ odd, "0::/a:b\n", "", "/mnt/my groups/a:b", 14 },
		{ "", "0::/a\n", "", NULL, 0 },
		{ NULL, NULL, "", NULL, 0 },
		{ "x", ":", "", NULL, 0 },
		{ "1 2 3 4 5 - cgroup2", "0::/a", "", NULL, 0 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t top = 0;
		AUTO(xfree)
		char *folder = cgroup_folder(cases[i].mounts, cases[i].groups,
					     cases[i].controller, &top);
		if (!folder != !cases[i].folder ||
		    (folder && (strcmp(folder, cases[i].folder) || top != cases[i].top)))
			fail_msg("case %zu: %s, %zu", i, folder ? folder : "none", top);
	}
}

static void test_room(void **state)
{
	(void)state;
	assert_true(cgroup_room(&(struct cgroup_limit){ false, 1, 2, "" }) == UINT64_MAX);
	assert_int_equal(cgroup_room(&(struct cgroup_limit){ true, 1, 3, "" }), 2);
	assert_int_equal(cgroup_room(&(struct cgroup_limit){ true, 9, 3, "" }), 0);
}

/* Whatever groups we are in: no nonsense, and nothing is frozen that asks. */
static void test_read(void **state)
{
	struct cgroup c;
	(void)state;
	cgroup_read(getpid(), &c);
	assert_int_equal(c.frozen, CGROUP_RUNS);
	if (c.pids.set)
		assert_true(c.pids.used > 0 && *c.pids.group == '/');
	if (c.memory.set)
		assert_true(c.memory.max > 0 && *c.memory.group == '/');
	cgroup_read(0, &c);
	assert_false(c.pids.set || c.memory.set || c.frozen || c.oom_group);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folders),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_read),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
