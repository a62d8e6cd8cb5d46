/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/document/print_document.h"

void print_verification(struct sink *out, const struct verification *v)
{
	static const char *const names[VERIFY_INCONCLUSIVE] = {
		[INCONCLUSIVE_FRAMELESS] = "frameless",
		[INCONCLUSIVE_ASSEMBLY] = "assembly",
		[INCONCLUSIVE_INTERRUPTED] = "interrupted",
		[INCONCLUSIVE_CALLBACK] = "callback",
		[INCONCLUSIVE_COPYING] = "copying",
		[INCONCLUSIVE_NO_FRAME_POINTER] = "no_frame_pointer",
	};

	sink_begin(out, SINK_OBJECT);
	sink_named_uint(out, "goroutines", v->goroutines);
	sink_named_uint(out, "frames", v->frames);
	sink_named_uint(out, "agreed", v->agreed);
	sink_named_begin(out, "inconclusive", SINK_OBJECT);
	for (size_t i = 0; i < VERIFY_INCONCLUSIVE; i++)
		sink_named_uint(out, names[i], v->inconclusive[i]);
	sink_end(out);
	sink_named_uint(out, "disagreements", v->disagreements);
	sink_end(out);
}
