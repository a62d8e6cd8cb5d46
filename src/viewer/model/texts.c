/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/model/texts.h"

#include <string.h>

enum { CHUNK = 64 * 1024 };

struct text_entry {
	const char *text;
	size_t len;
};

/* Memory begins with the address of the chunk before. */
static char *room_for(struct texts *texts, size_t bytes)
{
	const size_t need = bytes + sizeof(char *);

	if (!texts->chunk || bytes > CHUNK - texts->used) {
		char *chunk = xmalloc(need > CHUNK ? need : CHUNK);
		memcpy(chunk, &texts->chunk, sizeof(char *));
		texts->chunk = chunk;
		texts->used = sizeof(char *);
	}
	char *ret = texts->chunk + texts->used;
	texts->used = need > CHUNK ? CHUNK : texts->used + bytes;
	return ret;
}

void texts_done(struct texts *texts)
{
	while (texts->chunk) {
		char *before;
		memcpy(&before, texts->chunk, sizeof(char *));
		xfree(texts->chunk);
		texts->chunk = before;
	}
	table_free(&texts->numbers);
	xfree(texts->list);
}

static model_text add(struct texts *texts, const char *bytes, size_t len)
{
	char *copy = room_for(texts, len + 1);

	memcpy(copy, bytes, len);
	copy[len] = '\0';
	GROW(texts->list, texts->count, texts->cap);
	texts->list[texts->count] = (struct text_entry){ copy, len };
	return (model_text)texts->count++;
}

model_text texts_number(struct texts *texts, const char *bytes, size_t len)
{
	uint64_t hash = table_hash_bytes(bytes, len);
	uint64_t known;

	if (texts->count == 0)
		add(texts, "", 0);
	if (len == 0 || texts->count == UINT32_MAX)
		return MODEL_NO_TEXT;
	/* Who has the hash of another text stands behind it. */
	while ((known = table_get(&texts->numbers, hash, len)) != 0) {
		const struct text_entry *entry = &texts->list[known];
		if (entry->len == len && memcmp(entry->text, bytes, len) == 0)
			return (model_text)known;
		hash++;
	}
	const model_text number = add(texts, bytes, len);
	table_set(&texts->numbers, hash, len, number);
	return number;
}

const char *texts_get(const struct texts *texts, model_text number)
{
	return number < texts->count ? texts->list[number].text : "";
}
