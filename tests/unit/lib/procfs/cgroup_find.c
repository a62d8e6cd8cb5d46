/* SPDX-License-Identifier: Apache-2.0 */
/* In trees as systemd, Docker, Podman, containerd and CRI-O make them. */
#include "lib/procfs/cgroup_find.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/unit.h"

#define ID_A "3f1c9e0b7a5d4c2e8f6a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e"
#define ID_B "3f1c9e0b7a5dffff8f6a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e"
#define ID_C "99999e0b7a5d4c2e8f6a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e"

static const char *const folders[] = {
	"system.slice",
	"system.slice/shop.service",
	"system.slice/shop.service/shop.service", /* delegated, and named so */
	"system.slice/shop2.service",
	"system.slice/docker-" ID_A ".scope",
	"kubepods.slice",
	"kubepods.slice/kubepods-pod1.slice",
	"kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID_B ".scope",
	"machine.slice",
	"machine.slice/libpod-" ID_C ".scope",
	"machine.slice/libpod-" ID_C ".scope/container",
	"user.slice",
	"user.slice/a.slice",
	"user.slice/a.slice/sync.service",
	"user.slice/b.slice",
	"user.slice/b.slice/sync.service",
};

static char top[] = "/tmp/gosnap-cgroups.XXXXXX";

static int make_tree(void **state)
{
	(void)state;
	if (!mkdtemp(top))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		AUTO(xfree) char *path = xasprintf("%s/%s", top, folders[i]);
		if (mkdir(path, 0700))
			return -1;
	}
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	for (size_t i = ARRAY_SIZE(folders); i-- > 0;) {
		AUTO(xfree) char *path = xasprintf("%s/%s", top, folders[i]);
		if (remove(path))
			return -1;
	}
	return remove(top);
}

static void expect(char *found, const char *folder)
{
	AUTO(xfree) char *path = found;
	AUTO(xfree) char *expected = xasprintf("%s/%s", top, folder);

	assert_non_null(path);
	assert_string_equal(path, expected);
}

static void units(void **state)
{
	struct err err = { .code = ERR_NONE };

	(void)state;
	expect(cgroup_of_unit(top, "shop.service", &err), "system.slice/shop.service");
	expect(cgroup_of_unit(top, "shop", &err), "system.slice/shop.service");
	expect(cgroup_of_unit(top, "machine.slice", &err), "machine.slice");
	assert_null(cgroup_of_unit(top, "sho", &err));
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_null(cgroup_of_unit(top, "sync", &err));
	assert_int_equal(err.code, ERR_LIMIT);
}

static void containers(void **state)
{
	struct err err = { .code = ERR_NONE };

	(void)state;
	expect(cgroup_of_container(top, ID_A, &err),
	       "system.slice/docker-" ID_A ".scope");
	expect(cgroup_of_container(top, "99999e0b7a5d", &err),
	       "machine.slice/libpod-" ID_C ".scope");
	expect(cgroup_of_container(top, "3f1c9e0b7a5dff", &err),
	       "kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID_B ".scope");
	assert_null(cgroup_of_container(top, "3f1c9e0b7a5d", &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_null(cgroup_of_container(top, "0123456789ab", &err));
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_null(cgroup_of_container(top, "shop", &err));
	assert_int_equal(err.code, ERR_USAGE);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units),
		cmocka_unit_test(containers),
	};

	return unit_run(argc, argv, tests, make_tree, remove_tree);
}
