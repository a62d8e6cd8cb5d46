/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/fault/fault_backlog.h"

#include <string.h>

#include "goruntime/goroutines/panic_message.h"

static const char fatal_error[] = BACKLOG_ERROR;

/* All that follows the first line is part of it: printindented. */
static bool is_all_of_it(const char *error, const char *end)
{
	if (end - error <= (ptrdiff_t)strlen(fatal_error) + 1)
		return false;
	for (const char *at = error; at < end; at++)
		if (*at == '\0' || (*at == '\n' && at + 1 < end && at[1] != '\t'))
			return false;
	return end[-1] == '\n';
}

/* The last fatal error in text, and its end; NULL: there is none, or text is not what the runtime printed
 * last. Behind it may be the beginning of another goroutine's, which is cut: once one panics, what others
 * print is not recorded (recordForPanic in runtime/print.go). */
static const char *last_fatal_error(const char *text, size_t len, const char **ret_end)
{
	const char *found = NULL, *before = NULL;

	for (const char *at = text; (at = memmem(at, len - (size_t)(at - text),
						 fatal_error, strlen(fatal_error)));
	     at++) {
		before = found;
		found = at;
	}
	*ret_end = text + len;
	if (found && is_all_of_it(found, *ret_end))
		return found;
	*ret_end = found;
	return before && is_all_of_it(before, found) ? before : NULL;
}

const char *backlog_explanation(const char *text, const char *error)
{
	static const char *const begins[] = { "runtime: ", "unexpected fault address " };
	const char *ret = error;

	while (ret > text) {
		const char *line = ret - 1;
		bool explains = false;
		while (line > text && line[-1] != '\n' && line[-1] != '\0')
			line--;
		/* The last line may be cut. */
		for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
			explains |= (size_t)(ret - line) >= strlen(begins[i]) &&
				    memcmp(line, begins[i], strlen(begins[i])) == 0;
		if (!explains)
			break;
		ret = line;
	}
	return ret;
}

bool backlog_fatal_error(const char *text, size_t len, struct panic_message *w)
{
	const char *end, *error = last_fatal_error(text, len, &end);

	if (!error)
		return false;
	error = backlog_explanation(text, error);
	panic_message_add(w, error, (size_t)(end - error));
	return true;
}

/* Returns the length of the shortest text that, repeated at most `times` times, gives text. */
static size_t period(const char *text, size_t len, size_t times)
{
	while (times > 1 && (len % times != 0 ||
			     memcmp(text, text + len / times, len - len / times) != 0))
		times--;
	return len / times;
}

bool backlog_interleaved(const char *text, size_t len, struct panic_message *w)
{
	const size_t word = strlen(fatal_error);
	const char *first = memmem(text, len, fatal_error, word), *end = text + len;
	char errors[BACKLOG_BYTES];
	size_t n = 0, times = 0;

	for (const char *at = first; at && at < end;) {
		if ((size_t)(end - at) >= word && memcmp(at, fatal_error, word) == 0) {
			at += word;
			times++;
			continue;
		}
		if (*at == '\0' || *at == '\t')
			return false;
		if (*at != '\n')
			errors[n++] = *at;
		at++;
	}
	if (n == 0)
		return false;
	const char *begin = backlog_explanation(text, first);
	panic_message_add(w, begin, (size_t)(first - begin) + word);
	panic_message_add(w, errors, period(errors, n, times));
	panic_message_add(w, "\n", 1);
	return true;
}

/* Where the backlog begins and what was written last is not known: behind a line may be an older one. */
static const char *end_of_error(const char *error, const char *end)
{
	const char *line = memchr(error, '\n', (size_t)(end - error));
	const char *all = memchr(error, '\0', (size_t)(end - error));

	if (!line || (all && all < line))
		return NULL;
	return all && is_all_of_it(error, all) ? all : line + 1;
}

/* False: there is none, or there are several. */
static bool take_fatal_error(const uint8_t *bytes, size_t len, struct panic_message *w)
{
	const char *text = (const char *)bytes, *end = text + len;
	const char *error = memmem(text, len, fatal_error, strlen(fatal_error));
	const char *behind = error ? end_of_error(error, end) : NULL;

	if (!behind || behind - error > BACKLOG_BYTES ||
	    memmem(behind, (size_t)(end - behind), fatal_error, strlen(fatal_error)))
		return false;
	error = backlog_explanation(text, error);
	panic_message_add(w, error, (size_t)(behind - error));
	return true;
}

/* Is that the backlog after it was filled? The variables around it are mostly zero. */
static bool is_full(const uint8_t *bytes, size_t at)
{
	return bytes[at - 1] == '\0' && bytes[at + BACKLOG_BYTES] == '\0' &&
	       !memchr(bytes + at, '\0', BACKLOG_BYTES);
}

/* The error is the last that was written, so the line behind it is the first. */
static bool take_full(const uint8_t *bytes, struct panic_message *w)
{
	char twice[2 * BACKLOG_BYTES];
	const char *line, *end;

	memcpy(twice, bytes, BACKLOG_BYTES);
	memcpy(twice + BACKLOG_BYTES, bytes, BACKLOG_BYTES);
	const char *error =
		memmem(twice, sizeof(twice), fatal_error, strlen(fatal_error));
	if (!error ||
	    !(line = memchr(error, '\n', sizeof(twice) - (size_t)(error - twice))))
		return false;
	const char *text = twice + (size_t)(line + 1 - twice) % BACKLOG_BYTES;
	error = last_fatal_error(text, BACKLOG_BYTES, &end);
	if (!error)
		return false;
	error = backlog_explanation(text, error);
	panic_message_add(w, error, (size_t)(end - error));
	return true;
}

bool backlog_search(const uint8_t *bytes, uint64_t addr, size_t len,
		    struct panic_message *w)
{
	for (size_t at = BACKLOG_ALIGNMENT - addr % BACKLOG_ALIGNMENT;
	     at + BACKLOG_BYTES < len; at += BACKLOG_ALIGNMENT)
		if (is_full(bytes, at) && take_full(bytes + at, w))
			return true;
	return take_fatal_error(bytes, len, w);
}
