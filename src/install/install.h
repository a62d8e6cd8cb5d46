/* SPDX-License-Identifier: Apache-2.0 */
/* install.h - makes gosnap the handler of the kernel's cores, and undoes it exactly. What was there
 * before is in SETTINGS_FOLDER/previous until then, where handlers find it. The main header of src/install.
 * Knows core_pattern, sysctl.d and units of systemd, and nothing of what handlers do. */
#ifndef GOSNAP_INSTALL_H
#define GOSNAP_INSTALL_H

#include "src/handler/settings.h"

/* After 99-sysctl.conf, by which Debian 12 reads what many have in /etc/sysctl.conf: the last one counts. */
#define INSTALL_SYSCTL "/etc/sysctl.d/99-zz-gosnap.conf"
#define INSTALL_SOCKET "/run/gosnap-core.socket"

struct install_options {
	bool socket;  /* not the pipe */
	bool dry_run; /* only say it */
	bool force;   /* uninstall: also what others have changed since */
};

/* Each step that is taken, or would be, as a sentence without a full stop. */
typedef void install_say_fn(const char *sentence);

/* Both may be called again. ERR_CANNOT: err says what is in the way; nothing was changed. */
MUST_CHECK bool install_run(const struct install_options *options, install_say_fn *say,
			    struct err *err);
MUST_CHECK bool uninstall_run(const struct install_options *options, install_say_fn *say,
			      struct err *err);

/* core_pattern and core_pipe_limit as they are. */
struct kernel_cores {
	char pattern[SETTINGS_PATTERN];
	uint64_t pipe_limit;
};
MUST_CHECK bool kernel_cores_read(struct kernel_cores *ret, struct err *err);

enum install_state {
	INSTALL_NONE,
	INSTALL_OURS,	 /* as we left it */
	INSTALL_HALF,	 /* core_pattern is what it was before, but our files are there */
	INSTALL_CHANGED, /* it was installed; somebody has changed core_pattern since */
	INSTALL_UNKNOWN, /* core_pattern starts gosnap, but what was before is not known */
	INSTALL_WRONG, /* the file of what was before is there, and cannot be understood: err says why */
};
enum install_state install_state(const struct kernel_cores *now, struct previous *ret,
				 struct err *err);

#endif
