/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/sandbox/sandbox_priv.h"

struct withheld {
	void *memory;
	size_t size;
};

static struct withheld *list;
static size_t count, cap;

void sandbox_withhold(void *memory, size_t size)
{
	GROW(list, count, cap);
	list[count++] = (struct withheld){ memory, size };
}

void sandbox_withhold_mapped(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	char line[4096];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, name) && sscanf(line, "%lx-%lx", &start, &end) == 2)
			sandbox_withhold((void *)start, end - start);
	if (maps)
		fclose(maps);
}

void sandbox_unmap_withheld(void)
{
	for (size_t i = 0; i < count; i++)
		munmap(list[i].memory, list[i].size);
	count = 0;
}
