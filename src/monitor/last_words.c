/* SPDX-License-Identifier: Apache-2.0 */
#include "src/monitor/last_words.h"

#include <string.h>

#include "lib/base/util.h"

static bool is(const char *packet, size_t len, const char *words)
{
	return len == strlen(words) && memcmp(packet, words, len) == 0;
}

static bool begins(const char *packet, size_t len, const char *words)
{
	return len >= strlen(words) && memcmp(packet, words, strlen(words)) == 0;
}

/* sighandler prints the name from its table: "SIGABRT: abort", without the end of the line. */
static bool is_signal(const char *packet, size_t len)
{
	return begins(packet, len, "SIG") && memchr(packet, ':', len) &&
	       !memchr(packet, '\n', len);
}

/* throw in runtime/panic.go prints its line before startpanic_m counts the thread as dying. */
void last_words_hear(struct last_words *w, const char *packet, size_t len)
{
	if (w->fatal)
		w->dying |= packet[len - 1] == '\n';
	else
		w->fatal = is(packet, len, "fatal error: ");
	w->dying |= is(packet, len, "panic: ") || is_signal(packet, len);
}
