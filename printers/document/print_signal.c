/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/document/print_signal.h"

#include <string.h>

#include "printers/values/redacted.h"

void print_signal(struct sink *out, struct redaction *r, const struct fault_signal *s)
{
	const char *text = fault_signal_text(s->number);

	sink_named_begin(out, "signal", SINK_OBJECT);
	sink_named_int(out, "number", s->number);
	if (text) {
		sink_name(out, "name");
		sink_text(out, text, strcspn(text, ":"));
	}
	sink_named_int(out, "code", s->code);
	if (s->has_address) {
		sink_name(out, "address");
		print_word_without_secrets(out, r, s->address);
	}
	if (s->has_pc)
		sink_named_address(out, "pc", s->pc);
	if (s->has_sender) {
		sink_named_int(out, "pid", s->sender);
		sink_named_int(out, "uid", s->sender_user);
	}
	sink_end(out);
}

void print_registers(struct sink *out, struct redaction *r, const struct arch *arch,
		     const struct regs *regs)
{
	for (unsigned i = 0; i < arch->reg_count; i++) {
		if (!reg_known(regs, i))
			continue;
		sink_name(out, arch->reg_names[i]);
		if (i == arch->pc || i == arch->sp)
			sink_address(out, regs->value[i]);
		else
			print_word_without_secrets(out, r, regs->value[i]);
	}
}
