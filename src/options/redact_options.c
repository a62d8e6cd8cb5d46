/* SPDX-License-Identifier: Apache-2.0 */
#include "src/options/redact_options.h"

#include <string.h>

#include "printers/printers.h"

static bool contradictory(struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "--no-redact cannot be combined with --redact or --redact-key");
}

static bool set_rules(const struct option_info *option, const char *argument, void *field,
		      struct err *err)
{
	struct redaction_options *options = field;
	bool contradicts = options->mode == REDACT_NOTHING;
	(void)option;
	if (strcmp(argument, "strict") == 0)
		options->mode = REDACT_STRICT;
	else if (options->rules)
		return err_set(err, ERR_USAGE, "--redact: at most one file");
	else
		options->rules = argument;
	return contradicts ? contradictory(err) : true;
}

static bool set_key(const struct option_info *option, const char *argument, void *field,
		    struct err *err)
{
	struct redaction_options *options = field;
	(void)option;
	options->key = argument;
	return options->mode == REDACT_NOTHING ? contradictory(err) : true;
}

static bool set_nothing(const struct option_info *option, const char *argument,
			void *field, struct err *err)
{
	struct redaction_options *options = field;
	(void)option, (void)argument;
	if (options->rules || options->key || options->mode == REDACT_STRICT)
		return contradictory(err);
	options->mode = REDACT_NOTHING;
	return true;
}

const struct option_info redact_options[] = {
	{ 0, "redact", "FILE", "also redact by the rules in FILE; strict: all text",
	  .read = set_rules },
	{ 0, "redact-key", "FILE", "with the same key, equal secrets have equal hashes",
	  .read = set_key },
	{ 0, "no-redact", NULL, "redact nothing, not even passwords and keys",
	  .read = set_nothing },
	{ .name = NULL }
};

struct named_rules *named_rules_read(const struct redaction_options *secrets,
				     const struct printer_files *printers,
				     struct err *err)
{
	AUTO(named_rules_free) struct named_rules *ret = xcalloc(1, sizeof(*ret));

	ret->secrets = redaction_new(secrets, err);
	ret->printers = ret->secrets ? printer_files_read(printers, err) : NULL;
	return ret->printers ? TAKE(ret) : NULL;
}

void named_rules_free(struct named_rules *rules)
{
	if (!rules)
		return;
	redaction_free(rules->secrets);
	value_rules_free(rules->printers);
	xfree(rules);
}
