/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/target/arch.h"

#include <string.h>

const struct arch *arch_find(int elf_machine)
{
	static const struct arch *const all[] = { &arch_amd64 };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i]->elf_machine == elf_machine)
			return all[i];
	return NULL;
}

void arch_regs_from(const int16_t *offsets, const struct arch *arch, const void *bytes,
		    size_t len, struct regs *ret)
{
	ret->valid = 0;
	for (unsigned i = 0; i < arch->reg_count; i++) {
		uint64_t value = 0;

		if (offsets[i] >= 0 && (size_t)offsets[i] + sizeof(value) <= len) {
			memcpy(&value, (const char *)bytes + offsets[i], sizeof(value));
			reg_set(ret, i, value);
		} else {
			ret->value[i] = 0;
		}
	}
}

void arch_vectors_from(const struct arch *arch, const void *bytes, size_t len,
		       struct vector_regs *ret)
{
	const char *from = bytes;
	const size_t size = arch->vector_count * sizeof(ret->value[0]);

	ret->count = 0;
	if (len < arch->vectors + size)
		return;
	memcpy(&ret->control, from + arch->vector_control, sizeof(ret->control));
	memcpy(ret->value, from + arch->vectors, size);
	ret->count = arch->vector_count;
}
