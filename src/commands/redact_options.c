/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/redact_options.h"

#include <string.h>

bool redact_option(struct redaction_options *options, enum redact_option option,
		   const char *argument, struct err *err)
{
	bool contradicts = options->mode == REDACT_NOTHING;

	switch (option) {
	case REDACT_RULES:
		if (strcmp(argument, "strict") == 0)
			options->mode = REDACT_STRICT;
		else if (options->rules)
			return err_set(err, ERR_USAGE, "--redact: at most one file");
		else
			options->rules = argument;
		break;
	case REDACT_KEY:
		options->key = argument;
		break;
	case REDACT_NONE:
		contradicts =
			options->rules || options->key || options->mode == REDACT_STRICT;
		options->mode = REDACT_NOTHING;
		break;
	case REDACT_OPTIONS:
		break;
	}
	if (contradicts)
		return err_set(
			err, ERR_USAGE,
			"--no-redact cannot be combined with --redact or --redact-key");
	return true;
}
