/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/export_memory.h"

#include <elf.h>
#include <string.h>

#include "lib/elf/image.h"
#include "redaction/redaction.h"

/* An address, or a small number. Four bytes of an address may be letters by chance; eight bytes of
 * a secret are hardly ever an address at which there is something. */
static bool is_plain(const struct export_memory *m, const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return target_mapping_at(m->target, word) || redaction_is_plain_number(word);
}

/* Is it data that the dynamic linker relocates and then makes read-only? It leaves the last page writable if the data
 * does not fill it: in a position-independent Go program, the end of the pclntab. */
static bool is_relocated(const struct image *img, uint64_t addr)
{
	struct image_segment s;

	for (size_t i = 0; image_segment(img, i, &s); i++)
		if (s.type == PT_GNU_RELRO && addr >= s.addr && addr - s.addr < s.size)
			return true;
	return false;
}

/* Build information is in the executable, too. */
static bool is_public(const struct export_memory *m, uint64_t addr)
{
	const struct image *img = m->images ? images_at(m->images, addr) : NULL;
	struct image_range s;

	if (!img)
		return false;
	return is_relocated(img, addr) || (image_section(img, ".go.buildinfo", &s) &&
					   addr >= s.addr && addr - s.addr < s.size);
}

/* A word alone is a lock or some other field that no printer shows: debuggers do. */
static bool is_alone(const struct export_memory *m, uint64_t addr)
{
	return memory_set_has(m->wanted, addr - WORD) &&
	       memory_set_has(m->wanted, addr + WORD);
}

/* What the kernel put on the first stack? */
static bool is_given(const struct export_memory *m, uint64_t addr)
{
	return m->has_stack && addr >= m->stack.begin && addr < m->stack.end;
}

/* A word that may be older than the call whose argument it was: as the document has it. */
static bool is_shown_word(const struct export_memory *m, uint64_t addr,
			  const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return m->words && memory_set_has(m->words, addr) &&
	       !redaction_of_dead_word(m->redaction, word);
}

/* [addr, addr + len) is in one page. */
static void leave_out(const struct export_memory *m, uint64_t addr, uint8_t *buf,
		      size_t len)
{
	const struct memory_page *wanted = memory_set_page(m->wanted, addr),
				 *shown = memory_set_page(m->shown, addr);
	const struct target_mapping *mapping = target_mapping_at(m->target, addr);
	const bool of_file = !(mapping && mapping->writable);

	for (size_t at = 0; at < len; at += WORD) {
		if (shown && memory_page_has(shown, addr + at))
			continue;
		const bool is_wanted = wanted && memory_page_has(wanted, addr + at);
		if (is_wanted
			    ? of_file || is_given(m, addr + at) ||
				      is_plain(m, buf + at) || is_public(m, addr + at) ||
				      is_shown_word(m, addr + at, buf + at)
			    : is_alone(m, addr + at) && is_plain(m, buf + at))
			continue;
		memset(buf + at, REDACTION_FILL, WORD);
	}
}

bool export_keeps(void *arg, uint64_t addr, const uint8_t *word)
{
	const struct export_memory *m = arg;
	const struct target_mapping *mapping = target_mapping_at(m->target, addr);
	const bool is_text = addr + WORD > m->stack.arguments && addr < m->stack.name;

	if (is_given(m, addr))
		return !is_text || !m->strict;
	return !(mapping && mapping->writable) || is_plain(m, word) || is_public(m, addr);
}

/* Values that no variable led to. */
static void leave_out_environment(const struct export_memory *m, uint64_t addr,
				  uint8_t *buf, size_t len)
{
	const uint64_t begin = m->stack.environment, end = m->stack.name;
	bool in_value = addr > begin; /* or in a name */

	if (!m->has_stack || m->environment || addr >= end || addr + len <= begin)
		return;
	for (uint64_t at = begin > addr ? begin : addr; at < end && at < addr + len;
	     at++) {
		uint8_t *c = &buf[at - addr];
		if (*c == '\0')
			in_value = false;
		else if (in_value && !memory_set_has(m->shown, at))
			*c = REDACTION_FILL;
		else if (*c == '=')
			in_value = true;
	}
}

/* Those that are captured, of a page that is not as a whole. */
static void read_words(struct export_memory *m, uint64_t addr, uint8_t *buf, size_t len)
{
	struct err ignored;

	memset(buf, REDACTION_FILL, len);
	for (size_t at = 0; at < len; at += WORD)
		if (memory_set_has(m->wanted, addr + at) &&
		    !target_read(m->target, addr + at, buf + at, WORD, &ignored))
			m->lost += WORD;
}

void export_read(struct export_memory *m, uint64_t addr, uint8_t *buf, size_t len)
{
	struct err ignored;

	target_budget_unit(m->target);
	for (size_t done = 0, n; done < len; done += n) {
		n = PAGE_BYTES - (addr + done) % PAGE_BYTES;
		if (n > len - done)
			n = len - done;
		if (!target_read(m->target, addr + done, buf + done, n, &ignored))
			read_words(m, addr + done, buf + done, n);
		if (!m->everything)
			leave_out(m, addr + done, buf + done, n);
	}
	if (!m->everything)
		leave_out_environment(m, addr, buf, len);
}
