/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/document/print_document.h"

static void print_warning(struct sink *out, const char *where, const char *what)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "where", where);
	sink_named_string(out, "what", what);
	sink_end(out);
}

void print_warnings(struct sink *out, const struct warnings *warnings)
{
	size_t left_out = warnings_left_out(warnings);

	sink_begin(out, SINK_ARRAY);
	for (size_t i = 0; i < warnings_count(warnings); i++)
		print_warning(out, warnings_where(warnings, i),
			      warnings_what(warnings, i));
	if (left_out) {
		AUTO(xfree) char *what = xasprintf("%zu more were omitted", left_out);
		print_warning(out, "warnings", what);
	}
	sink_end(out);
}
