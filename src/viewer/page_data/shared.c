/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/page_data/shared.h"

#include <string.h>

#include "lib/document/reader_text.h"
#include "lib/document/sink.h"

void shared_init(struct shared *texts, struct model *m)
{
	const size_t count = model_text_count(m);

	*texts = (struct shared){ .all = sink_part_new(),
				  .m = m,
				  .one = sink_part_new(),
				  .strings = xcalloc(count, sizeof(*texts->strings)),
				  .written = xcalloc(count, sizeof(*texts->written)) };
}

void shared_done(struct shared *texts)
{
	sink_free(texts->all);
	sink_free(texts->one);
	table_free(&texts->numbers);
	xfree(texts->strings);
	xfree(texts->written);
}

static uint32_t add(struct shared *texts, const char *json, size_t len, uint64_t hash)
{
	sink_add_part(texts->all, json, len);
	table_set(&texts->numbers, hash, len, ++texts->count);
	return texts->count;
}

uint32_t shared_json(struct shared *texts, const char *json, size_t len)
{
	const uint64_t hash = table_hash_bytes(json, len);
	const uint64_t known = table_get(&texts->numbers, hash, len);

	if (known || !text_is_json(json, len))
		return (uint32_t)known;
	return add(texts, json, len, hash);
}

/* What texts->one has. */
static uint32_t take(struct shared *texts)
{
	const char *json = sink_part_text(texts->one);
	const size_t len = sink_part_bytes(texts->one);
	const uint64_t hash = table_hash_bytes(json, len);
	const uint64_t known = table_get(&texts->numbers, hash, len);
	const uint32_t number = known ? (uint32_t)known : add(texts, json, len, hash);

	sink_part_cut(texts->one, 0);
	return number;
}

uint32_t shared_string(struct shared *texts, model_text number)
{
	uint32_t *known = &texts->strings[number];

	if (number != MODEL_NO_TEXT && !*known) {
		sink_string(texts->one, model_text_of(texts->m, number));
		*known = take(texts);
	}
	return *known;
}

uint32_t shared_written(struct shared *texts, model_text number)
{
	uint32_t *known = &texts->written[number];

	if (number == MODEL_NO_TEXT || *known)
		return *known;
	const char *json = model_text_of(texts->m, number);
	*known = shared_json(texts, json, strlen(json));
	return *known;
}

uint32_t shared_address(struct shared *texts, uint64_t address)
{
	if (!address)
		return 0;
	sink_address(texts->one, address);
	return take(texts);
}
