/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/document/print_document.h"
#include "printers/known/known.h"
#include "printers/values/objects.h"

void print_object(struct sink *out, struct goroutine_printing *how, size_t i)
{
	struct object_printing p = { .out = out,
				     .objects = how->objects,
				     .bounds = how->values,
				     .moment = &how->moment,
				     .memory = how->memory,
				     .known = &known_texts,
				     .redaction = how->redaction };

	print_object_members(&p, i);
	how->redacted += p.redacted;
}
