/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/sandbox/sandbox_priv.h"

/* Fields that the kernel does not know are zero; <linux/landlock.h> may be older than it. */
struct attributes {
	uint64_t files, network, scoped;
};

/* Versions of the interface that brought network, and abstract sockets and signals. */
enum { WITH_NETWORK = 4, WITH_SCOPES = 6 };

static size_t describe(long version, bool network, struct attributes *ret)
{
	static const uint8_t files_of_version[] = { 13, 14, 15, 15, 16 };
	const size_t known = (size_t)version < ARRAY_SIZE(files_of_version)
				     ? (size_t)version
				     : ARRAY_SIZE(files_of_version);

	*ret = (struct attributes){
		.files = (UINT64_C(1) << files_of_version[known - 1]) - 1,
		.network = version >= WITH_NETWORK && !network ? 3 : 0,
		.scoped = version >= WITH_SCOPES ? 3 : 0,
	};
	return version >= WITH_SCOPES	 ? sizeof(*ret)
	       : version >= WITH_NETWORK ? 2 * sizeof(uint64_t)
					 : sizeof(uint64_t);
}

bool ruleset_new(bool network, struct ruleset *ret, struct err *err)
{
	const long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
				     LANDLOCK_CREATE_RULESET_VERSION);
	struct attributes what;

	ret->fd = -1;
	if (version <= 0)
		return true;
	const size_t size = describe(version, network, &what);
	ret->files = what.files;
	ret->fd = (int)syscall(SYS_landlock_create_ruleset, &what, size, 0);
	return ret->fd >= 0 || err_sys(err, "Landlock");
}

bool ruleset_restrict(struct ruleset *set, struct err *err)
{
	const bool done = syscall(SYS_landlock_restrict_self, set->fd, 0) == 0;
	const int why = errno;

	close(set->fd);
	set->fd = -1;
	errno = why;
	return done || err_sys(err, "Landlock");
}
