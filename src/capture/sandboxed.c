/* SPDX-License-Identifier: Apache-2.0 */
#include "src/capture/sandboxed.h"

#include "src/capture/debuginfod.h"

struct capture_host {
	struct debuginfod_host *debuginfod; /* NULL: not asked for */
};

struct capture_host *capture_host_new(const struct capture_options *options,
				      struct sandbox *ret)
{
	struct capture_host *host = xcalloc(1, sizeof(*host));
	const char *const named[] = { options->core.path, options->core.search.executable,
				      options->core.search.root,
				      options->reading.debug_file };

	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		ret->named[i] = named[i];
	ret->programs = true;
	ret->cache = !options->reading.no_cache;
	if (options->reading.debuginfod) {
		host->debuginfod = debuginfod_host_new();
		sandbox_add_services(ret, debuginfod_host_services(host->debuginfod));
	}
	return host;
}

void capture_host_free(struct capture_host *host)
{
	if (!host)
		return;
	debuginfod_host_free(host->debuginfod);
	xfree(host);
}
