/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds a fuzz target with its corpus, and each file of it damaged in some ways: always the
 * same ones. Or with the files that are named, as they are. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "tests/fuzz/fuzz.h"

#ifndef FUZZ_ROUNDS
#define FUZZ_ROUNDS 300 /* damaged forms of each input */
#endif

enum { INPUT_MAX = 1 << 16, WHOLE_MAX = 64 << 20, DAMAGES = 8 };

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A word that programs are bad at. */
static uint64_t bad_word(uint64_t random)
{
	const uint64_t words[] = { 0,
				   1,
				   UINT64_MAX,
				   UINT64_MAX - random % 64,
				   INT64_MAX,
				   UINT64_C(1) << random % 64,
				   random % 256,
				   UINT32_MAX,
				   UINT64_C(1) << 60 };
	return words[(random >> 8) % ARRAY_SIZE(words)];
}

static void damage(uint8_t *bytes, size_t size, uint64_t *state)
{
	uint64_t random = next_random(state);
	size_t at = (size_t)(next_random(state) % size);
	uint64_t word = bad_word(next_random(state));

	if (random % 4 == 0)
		bytes[at] ^= (uint8_t)(1U << (random >> 8) % 8);
	else if (random % 4 == 1)
		bytes[at] = (uint8_t)(random >> 8);
	else if (size >=
		 sizeof(word)) /* words are aligned, from the first or second byte on */
		memcpy(bytes + (at % (size / sizeof(word))) * sizeof(word), &word,
		       random % 4 == 2 ? sizeof(word) : 2);
}

/* Returns how often it was fed. */
static size_t feed(const uint8_t *bytes, size_t size)
{
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

	LLVMFuzzerTestOneInput(bytes, size);
	for (size_t round = 0; size && round < FUZZ_ROUNDS; round++) {
		/* Its own size: what reads past it is seen. */
		AUTO(xfree) uint8_t *copy = xcalloc(size, 1);
		memcpy(copy, bytes, size);
		for (size_t i = 0; i <= round % DAMAGES; i++)
			damage(copy, size, &state);
		LLVMFuzzerTestOneInput(copy, size);
	}
	return size ? 1 + FUZZ_ROUNDS : 1;
}

static size_t feed_file(const char *folder, const char *name)
{
	AUTO(xfree) char *path = xasprintf("%s/%s", folder, name);
	AUTO(xfree) uint8_t *bytes = xcalloc(INPUT_MAX, 1);
	FILE *f = fopen(path, "rb");

	if (!f)
		return 0;
	size_t size = fread(bytes, 1, INPUT_MAX, f);
	fclose(f);
	return feed(bytes, size);
}

static int not_dot(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int feed_whole(char **paths)
{
	size_t len;

	for (; *paths; paths++) {
		AUTO(xfree) char *bytes = slurp(*paths, WHOLE_MAX, &len);
		printf("%s\n", *paths);
		fflush(stdout);
		if (!bytes)
			return 1;
		LLVMFuzzerTestOneInput((const uint8_t *)bytes, len);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *source = getenv("abs_top_srcdir"), *slash = strrchr(argv[0], '/');
	AUTO(xfree)
	char *folder = xasprintf("%s/tests/fuzz/corpus/%s", source ? source : "..",
				 slash ? slash + 1 : argv[0]);
	struct dirent **files;

	/* `--case NAME` asks for a case by its name, and there is one only. */
	if (argc > 1 && strcmp(argv[1], "--case") != 0)
		return feed_whole(argv + 1);
	int n = scandir(folder, &files, not_dot, alphasort);
	size_t fed = 0;

	printf("1..1\n");
	for (int i = 0; i < n; i++) {
		fed += feed_file(folder, files[i]->d_name);
		free(files[i]);
	}
	if (n > 0)
		free(files);
	printf("%s 1 - %zu inputs made of %d files in %s\n", fed ? "ok" : "not ok", fed,
	       n > 0 ? n : 0, folder);
	return fed ? 0 : 1;
}
