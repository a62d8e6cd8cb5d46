/* SPDX-License-Identifier: Apache-2.0 */
/* What was written before it was known to be a secret is not in the document. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "printers/printers.h"
#include "printers/values/redacted.h"
#include "redaction/redaction.h"
#include "tests/unit/unit.h"

/* Each time one more is known, as where what is redacted makes room for others. */
struct chain {
	struct sink *out;
	struct redaction *redaction;
	unsigned len, times;
};

static int write_secret(unsigned i, char *ret, size_t size)
{
	return snprintf(ret, size, "%c-is-the-%usecret", 'a' + i % 26, i);
}

static void print_chain(void *arg)
{
	struct chain *c = arg;
	char secret[32];

	c->times++;
	sink_begin(c->out, SINK_ARRAY);
	for (unsigned i = 0; i < c->len; i++) {
		int n = write_secret(i, secret, sizeof(secret));
		print_item_without_secrets(c->out, c->redaction, NULL,
					   (struct bytes_of_text){ secret, (size_t)n });
	}
	sink_end(c->out);
	if (c->times <= c->len) {
		int n = write_secret(c->times - 1, secret, sizeof(secret));
		redaction_learn(c->redaction, 0, 0, secret, (size_t)n);
	}
}

static unsigned printed(unsigned len, unsigned *ret_masks)
{
	const struct redaction_options options = { .mode = REDACT_SECRETS };
	struct err err;
	AUTO(redaction_free) struct redaction *r = redaction_new(&options, &err);
	AUTO(sink_free) struct sink *out = sink_part_new();
	struct chain c = { .out = out, .redaction = r, .len = len };

	assert_non_null(r);
	print_to_fixpoint(&(struct print_again){ out, r, NULL, print_chain, &c });
	AUTO(xfree) char *text = xstrndup(sink_part_text(out), sink_part_bytes(out));
	assert_null(strstr(text, "secret"));
	*ret_masks = 0;
	for (const char *at = text; (at = strstr(at, "[redacted]")); at++)
		++*ret_masks;
	redaction_forget(r);
	struct redacted after = redaction_of_text(r, 0, "harmless", 8);
	assert_null(after.rule);
	assert_false(redaction_at(r, 0x1000, 8));
	return c.times;
}

static void chains(void **state)
{
	unsigned masks;
	(void)state;
	assert_int_equal(printed(0, &masks), 1);
	for (unsigned len = 1; len < 7; len++) {
		assert_int_equal(printed(len, &masks), len + 1);
		assert_int_equal(masks, len);
	}
	/* One that does not come to an end. */
	assert_int_equal(printed(100, &masks), 9);
	assert_int_equal(masks, 100);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(chains) };
	return unit_run(argc, argv, tests, NULL, NULL);
}
