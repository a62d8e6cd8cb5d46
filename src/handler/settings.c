/* SPDX-License-Identifier: Apache-2.0 */
#include "src/handler/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/spool/spool.h"

enum {
	FILE_MAX = 4096,
	MEGABYTE_SHIFT = 20,
	UNSET = '\n', /* no line of a text has it */
};

struct key {
	const char *name;
	size_t off;
	size_t text; /* its size; 0: a number */
};

static const struct key settings_keys[] = {
	{ "spool", offsetof(struct settings, spool), SETTINGS_PATH },
	{ "quota_megabytes", offsetof(struct settings, quota_megabytes), 0 },
	{ "quota_files", offsetof(struct settings, quota_files), 0 },
	{ "interval_seconds", offsetof(struct settings, interval_seconds), 0 },
	{ "user_snapshots", offsetof(struct settings, user_snapshots), 0 },
	{ "timeout_seconds", offsetof(struct settings, timeout_seconds), 0 },
	{ "at_once", offsetof(struct settings, at_once), 0 },
	{ "redact", offsetof(struct settings, redact), SETTINGS_PATH },
	{ "redact_key", offsetof(struct settings, redact_key), SETTINGS_PATH },
	{ "printers", offsetof(struct settings, printers), SETTINGS_PATH },
	{ "stacks", offsetof(struct settings, stacks), 0 },
};

static const struct key previous_keys[] = {
	{ "core_pattern", offsetof(struct previous, core_pattern), SETTINGS_PATTERN },
	{ "core_pipe_limit", offsetof(struct previous, core_pipe_limit), 0 },
	{ "installed", offsetof(struct previous, installed), SETTINGS_PATTERN },
	{ "installed_limit", offsetof(struct previous, installed_limit), 0 },
};

static bool set(const struct key *key, const char *value, void *ret)
{
	char *end, *field = (char *)ret + key->off;

	value += *value == ' '; /* the rest belongs to a text */
	if (key->text && strlen(value) >= key->text)
		return false;
	if (key->text) {
		strcpy(field, value);
		return true;
	}
	value += strspn(value, " ");
	errno = 0;
	const uint64_t n = strtoull(value, &end, 10);
	if (errno || *end || *value < '0' || *value > '9')
		return false;
	memcpy(field, &n, sizeof(n));
	return true;
}

/* "key = value", with or without the blanks. */
static bool take_line(char *line, const struct key *keys, size_t n, void *ret)
{
	char *sign = strchr(line, '=');

	if (!*line || *line == '#')
		return true;
	if (!sign)
		return false;
	char *name_end = sign, *value = sign + 1;
	while (name_end > line && name_end[-1] == ' ')
		name_end--;
	*name_end = '\0';
	for (size_t i = 0; i < n; i++)
		if (strcmp(keys[i].name, line) == 0)
			return set(&keys[i], value, ret);
	return false;
}

/* Its length. -1: errno says why it cannot be read. */
static ssize_t read_file(const char *folder, const char *name, char ret[static FILE_MAX])
{
	char path[SETTINGS_PATH + 32];

	snprintf(path, sizeof(path), "%.*s/%s", SETTINGS_PATH, folder, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	const ssize_t n = fd < 0 ? -1 : read(fd, ret, FILE_MAX - 1);
	const int why = errno;
	if (fd >= 0)
		close(fd);
	errno = why;
	ret[n < 0 ? 0 : n] = '\0';
	return n;
}

/* False: *ret_line is the first one that was not understood. */
static bool take(char *text, const struct key *keys, size_t n, void *ret, char **ret_line)
{
	*ret_line = NULL;
	for (char *line; (line = strsep(&text, "\n"));)
		if (!take_line(line, keys, n, ret) && !*ret_line)
			*ret_line = line;
	return !*ret_line;
}

bool settings_read(const char *folder, struct settings *ret, struct err *err)
{
	char text[FILE_MAX], *line;

	*ret = (struct settings){
		.spool = SPOOL_FOLDER,
		.quota_megabytes = 1024,
		.quota_files = 200,
		.interval_seconds = 10,
		.user_snapshots = 10,
		.timeout_seconds = 30,
		.at_once = 4,
	};
	if (read_file(folder, "handler.conf", text) < 0)
		return errno == ENOENT || errno == ENOTDIR ||
		       err_sys(err, "cannot read %.200s/handler.conf", folder);
	return take(text, settings_keys, ARRAY_SIZE(settings_keys), ret, &line) ||
	       err_set(err, ERR_USAGE,
		       "%.200s/handler.conf: not understood, the default is used: %.60s",
		       folder, line);
}

uint64_t settings_quota_bytes(const struct settings *settings)
{
	const uint64_t most = UINT64_MAX >> MEGABYTE_SHIFT;

	return (settings->quota_megabytes < most ? settings->quota_megabytes : most)
	       << MEGABYTE_SHIFT;
}

bool previous_is_sound(const char *core_pattern, struct err *err)
{
	const char *program = core_pattern + (*core_pattern == '|');

	if (*core_pattern == '@')
		return err_set(err, ERR_CANNOT,
			       "core_pattern is the socket of another program (%.100s): "
			       "cores cannot be handed on to it",
			       core_pattern);
	return program == core_pattern || program[strspn(program, " \t\n\v\f\r")] ||
	       err_set(err, ERR_CANNOT,
		       "core_pattern names no program (%.100s): cores cannot be handed "
		       "on to it",
		       core_pattern);
}

static bool previous_take(const char *folder, char text[static FILE_MAX], size_t len,
			  struct previous *ret, struct err *err)
{
	char *line;

	if (len == FILE_MAX - 1 || strlen(text) < len)
		return err_set(err, ERR_BAD_DATA, "%.200s/previous: not a text of ours",
			       folder);
	if (!take(text, previous_keys, ARRAY_SIZE(previous_keys), ret, &line))
		return err_set(err, ERR_BAD_DATA,
			       "%.200s/previous: not understood: %.60s", folder, line);
	if (ret->core_pattern[0] == UNSET)
		return err_set(err, ERR_BAD_DATA,
			       "%.200s/previous: it does not say where cores went",
			       folder);
	struct err why;
	return previous_is_sound(ret->core_pattern, &why) ||
	       err_set(err, ERR_BAD_DATA, "%.200s/previous: %.200s", folder, why.text);
}

enum previous_known previous_read(const char *folder, struct previous *ret,
				  struct err *err)
{
	char text[FILE_MAX];
	struct err ignored;

	*ret = (struct previous){ .core_pipe_limit = 0 };
	const ssize_t len = read_file(folder, "previous", text);
	if (len < 0 && (errno == ENOENT || errno == ENOTDIR))
		return PREVIOUS_MISSING;
	ret->core_pattern[0] = UNSET;
	const bool ok = len < 0 ? err_sys(err, "cannot read %.200s/previous", folder)
				: previous_take(folder, text, (size_t)len, ret, err);
	/* The kernel's own, where nothing else can be done. */
	if (ret->core_pattern[0] == UNSET ||
	    !previous_is_sound(ret->core_pattern, &ignored))
		strcpy(ret->core_pattern, "core");
	return ok ? PREVIOUS_KNOWN : PREVIOUS_WRONG;
}
