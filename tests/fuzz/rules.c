/* SPDX-License-Identifier: Apache-2.0 */
/* Files of rules, of --printers and --redact: they are taken, or the line is named that is wrong.
 * The input: a byte that says of which, then the file. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "printers/rules/rules.h"
#include "redaction/redaction.h"
#include "tests/fuzz/fuzz.h"

static const char text[] = "user alice, password=hunter22, id 4111-1111 and SESSION-99";

static void ask(struct redaction *r)
{
	struct redacted left = redaction_of_text(r, 0, text, strlen(text));

	redaction_of_name(r, text, strlen(text));
	redaction_of_type(r, "main.session");
	redacted_done(&left);
}

static void read_redaction(const char *path)
{
	const struct redaction_options options = { .mode = REDACT_SECRETS,
						   .rules = path };
	struct err err = { .text = "" };
	AUTO(redaction_free) struct redaction *r = redaction_new(&options, &err);

	assert(r || err.text[0]);
	if (r)
		ask(r);
}

static void read_printers(const char *path)
{
	struct err err = { .text = "" };
	AUTO(value_rules_free) struct value_rules *rules = value_rules_new();
	bool taken = value_rules_read(rules, path, &err);

	assert(taken || err.text[0]);
	assert(!taken || value_rules_files(rules) == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];

	if (size < 1)
		return 0;
	const int fd = memfd_create("rules", MFD_CLOEXEC);
	assert(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)size - 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (*data % 2)
		read_redaction(path);
	else
		read_printers(path);
	close(fd);
	return 0;
}
