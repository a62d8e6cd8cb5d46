/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/document/print_document.h"

void print_verification(struct sink *out, const struct verification *v)
{
	static const char *const names[VERIFY_EXCUSES] = {
		[EXCUSE_FRAMELESS] = "frameless",     [EXCUSE_ASSEMBLY] = "assembly",
		[EXCUSE_INTERRUPTED] = "interrupted", [EXCUSE_CALLBACK] = "callback",
		[EXCUSE_COPYING] = "copying",	      [EXCUSE_NONE_KNOWN] = "none_known",
	};

	sink_begin(out, SINK_OBJECT);
	sink_named_uint(out, "goroutines", v->goroutines);
	sink_named_uint(out, "frames", v->frames);
	sink_named_uint(out, "agreed", v->agreed);
	sink_named_begin(out, "excused", SINK_OBJECT);
	for (size_t i = 0; i < VERIFY_EXCUSES; i++)
		sink_named_uint(out, names[i], v->excused[i]);
	sink_end(out);
	sink_named_uint(out, "disagreements", v->disagreements);
	sink_end(out);
}
