/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - what administrators set for crash handlers, and what was there before gosnap was installed
 * (install.h). Read without allocation: it is needed when memory is short. */
#ifndef GOSNAP_SETTINGS_H
#define GOSNAP_SETTINGS_H

#include "lib/base/err.h"
#include "lib/base/util.h"

#define SETTINGS_FOLDER "/etc/gosnap"

enum {
	SETTINGS_PATH = 256,
	SETTINGS_PATTERN = 128, /* CORENAME_MAX_SIZE */
};

struct settings {
	char spool[SETTINGS_PATH];
	uint64_t quota_megabytes, quota_files, interval_seconds, user_snapshots,
		timeout_seconds, at_once;
	/* As options of gosnap are; "": none. */
	char redact[SETTINGS_PATH], redact_key[SETTINGS_PATH], printers[SETTINGS_PATH];
	uint64_t stacks;
};

/* FOLDER/handler.conf: lines like "quota_files = 100". What is not there, or is no number, has its
 * default; err says which line, if any, was not understood. */
bool settings_read(const char *folder, struct settings *ret, struct err *err);

/* Of all snapshots together. 0: no bound. */
uint64_t settings_quota_bytes(const struct settings *settings);

/* FOLDER/previous, which install.h writes. */
struct previous {
	char core_pattern[SETTINGS_PATTERN];
	uint64_t core_pipe_limit;
	char installed[SETTINGS_PATTERN]; /* our own pattern */
	uint64_t installed_limit;
};
enum previous_known {
	PREVIOUS_MISSING,
	PREVIOUS_KNOWN,
	/* It cannot be read or understood, or names nothing that cores can go to: err says why. What was
	 * understood is set. */
	PREVIOUS_WRONG,
};
enum previous_known previous_read(const char *folder, struct previous *ret,
				  struct err *err);

/* Can cores be handed on as a core_pattern says? hand_on.h does it. err: why not. */
MUST_CHECK bool previous_is_sound(const char *core_pattern, struct err *err);

#endif
