/* SPDX-License-Identifier: Apache-2.0 */
/* windows.c - any four consecutive bytes of a secret: what copying memory leaves in a
 * register. */
#include <ctype.h>
#include <string.h>

#include "redaction/redaction_priv.h"

enum {
	FIRST = 1 << 10,
	COUNT_MAX = 1 << 20, /* more could not be told from what is there by chance */
};

struct windows {
	uint32_t *slots; /* open addressing, a power of two; 0: empty */
	size_t count, size;
	bool occurs[UINT8_MAX + 1]; /* by byte: whether it occurs in any window */
	bool full, letters_if_full;
};

struct windows *windows_new(bool letters_if_full)
{
	struct windows *w = xcalloc(1, sizeof(*w));

	w->letters_if_full = letters_if_full;
	return w;
}

static void release(struct windows *w)
{
	if (w->slots)
		explicit_bzero(w->slots, w->size * sizeof(*w->slots));
	xfree(w->slots);
}

void windows_free(struct windows *w)
{
	if (!w)
		return;
	release(w);
	xfree(w);
}

void windows_clear(struct windows *w)
{
	if (!w->count)
		return;
	if (w->size > FIRST) {
		release(w);
		*w = (struct windows){ .letters_if_full = w->letters_if_full };
		return;
	}
	explicit_bzero(w->slots, w->size * sizeof(*w->slots));
	memset(w->occurs, 0, sizeof(w->occurs));
	w->count = 0;
}

static uint32_t *find(const struct windows *w, uint32_t window)
{
	size_t i = (window * UINT32_C(0x9e3779b1)) >> 7;

	for (;; i++) {
		uint32_t *slot = &w->slots[i & (w->size - 1)];
		if (!*slot || *slot == window)
			return slot;
	}
}

static void grow(struct windows *w)
{
	struct windows old = *w;

	w->size = old.size ? 2 * old.size : FIRST;
	w->slots = xcalloc(w->size, sizeof(*w->slots));
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i])
			*find(w, old.slots[i]) = old.slots[i];
	release(&old);
}

static void add(struct windows *w, uint32_t window)
{
	if (2 * w->count >= w->size)
		grow(w);
	uint32_t *slot = find(w, window);
	w->count += !*slot;
	*slot = window;
}

bool windows_add(struct windows *w, const void *bytes, size_t len)
{
	const uint8_t *at = bytes, *end = at + len;
	const size_t before = w->count;
	uint32_t window;

	for (; at + sizeof(window) <= end && !w->full; at++) {
		if (is_common_window(at))
			continue;
		memcpy(&window, at, sizeof(window));
		for (size_t i = 0; i < sizeof(window); i++)
			w->occurs[at[i]] = true;
		add(w, window);
		w->full = w->count == COUNT_MAX;
	}
	return w->count > before;
}

static bool are_letters(const uint8_t *at)
{
	return isprint(at[0]) && isprint(at[1]) && isprint(at[2]) && isprint(at[3]);
}

static bool has(const struct windows *w, const uint8_t *at)
{
	uint32_t window;

	if (!w->occurs[at[0]] || !w->occurs[at[1]] || !w->occurs[at[2]] ||
	    !w->occurs[at[3]])
		return w->full && w->letters_if_full && are_letters(at);
	memcpy(&window, at, sizeof(window));
	return *find(w, window) || (w->full && w->letters_if_full && are_letters(at));
}

bool windows_any(const struct windows *w, uint64_t word)
{
	uint8_t bytes[sizeof(word)];

	memcpy(bytes, &word, sizeof(word));
	for (size_t i = 0; w->count && i + sizeof(uint32_t) <= sizeof(bytes); i++)
		if (has(w, bytes + i))
			return true;
	return false;
}

bool windows_two(const struct windows *w, uint64_t word)
{
	uint8_t bytes[sizeof(word)];
	bool before = false;

	memcpy(bytes, &word, sizeof(word));
	for (size_t i = 0; w->count && i + sizeof(uint32_t) <= sizeof(bytes); i++) {
		const bool now = has(w, bytes + i);
		if (now && before)
			return true;
		before = now;
	}
	return false;
}

bool windows_all(const struct windows *w, uint64_t word)
{
	enum { LEAST = 3 }; /* of five */
	uint8_t bytes[sizeof(word)];
	size_t n = 0;

	if (!w->count || word >> 40 == 0) /* like most numbers: too few are left */
		return false;
	memcpy(bytes, &word, sizeof(word));
	for (size_t i = 0; i + sizeof(uint32_t) <= sizeof(bytes); i++) {
		if (is_common_window(bytes + i))
			continue;
		if (!has(w, bytes + i))
			return false;
		n++;
	}
	return n >= LEAST;
}
