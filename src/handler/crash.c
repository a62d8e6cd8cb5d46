/* SPDX-License-Identifier: Apache-2.0 */
#include "src/handler/crash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARDED = 2 }; /* SUID_DUMP_ROOT */

static bool number(const struct crash *crash, char letter, uint64_t *ret)
{
	const char *word = crash->word[(unsigned char)letter];
	char *end;

	if (!word || !*word)
		return false;
	errno = 0;
	*ret = strtoull(word, &end, 10);
	return !errno && !*end;
}

static uint64_t number_or(const struct crash *crash, char letter, uint64_t otherwise)
{
	uint64_t value;

	return number(crash, letter, &value) ? value : otherwise;
}

bool crash_read(int n, char *const *words, struct crash *ret, struct err *err)
{
	const char *letters = CRASH_ARGUMENTS;
	uint64_t pid, signal;

	*ret = (struct crash){ .pidfd = -1, .folder = -1 };
	for (int i = 0; i < n && (letters = strchr(letters, '%')); i++) {
		ret->word[(unsigned char)letters[1]] = words[i];
		letters++;
	}
	if (!number(ret, 'P', &pid) || !pid || pid > INT32_MAX ||
	    !number(ret, 's', &signal) || !number(ret, 'c', &ret->limit))
		return err_set(err, ERR_USAGE,
			       "core-pipe is started by the kernel, with the words %s of "
			       "core_pattern: see gosnap-install(8)",
			       CRASH_ARGUMENTS);
	ret->pid = (pid_t)pid;
	ret->tid = (pid_t)number_or(ret, 'I', pid);
	ret->signal = (int)signal;
	ret->guarded = number_or(ret, 'd', GUARDED) != 1;
	ret->pidfd = (int)number_or(ret, 'F', UINT64_MAX);
	return true;
}

struct text {
	char *at, *end;
	bool full;
};

static void put(struct text *text, const char *words)
{
	for (; *words && text->at < text->end; words++)
		*text->at++ = *words;
	text->full |= *words != '\0';
	*text->at = '\0';
}

bool crash_expand(const struct crash *crash, const char *pattern,
		  char ret[static CRASH_TEXT])
{
	struct text text = { ret, ret + CRASH_TEXT - 1, false };

	*ret = '\0';
	for (; *pattern; pattern++) {
		const unsigned char letter = (unsigned char)pattern[1];
		if (*pattern != '%') {
			put(&text, (char[]){ *pattern, '\0' });
			continue;
		}
		if (!letter) /* a single % at the end is dropped */
			break;
		pattern++;
		if (letter == '%')
			put(&text, "%");
		else if (letter < CRASH_LETTERS && crash->word[letter])
			put(&text, crash->word[letter]);
	}
	return !text.full;
}

static bool names_pid(const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern != '%')
			continue;
		if (pattern[1] == 'p')
			return true;
		pattern += pattern[1] != '\0';
	}
	return false;
}

bool crash_core_name(const struct crash *crash, const char *pattern, bool uses_pid,
		     char ret[static CRASH_TEXT])
{
	/* "An empty core_pattern and core_uses_pid: .PID" (admin-guide/sysctl/kernel.rst) */
	if (!crash_expand(crash, pattern, ret))
		return false;
	const size_t len = strlen(ret);
	const char *pid = crash->word['p'];

	if (!uses_pid || names_pid(pattern) || !pid)
		return true;
	return snprintf(ret + len, CRASH_TEXT - len, ".%s", pid) <
	       (int)(CRASH_TEXT - len);
}
