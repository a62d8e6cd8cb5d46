/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/findings.h"

#include "lib/document/sink.h"

void findings_free(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		text_done(&findings->list[i]->text);
		places_done(&findings->list[i]->places);
		xfree(findings->list[i]);
	}
	xfree(findings->list);
	text_done(&findings->unexplained);
	*findings = (struct findings){ 0 };
}

static const char *severity_name(enum severity severity)
{
	static const char *const names[] = {
		[SEVERITY_INFO] = "info",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_CRITICAL] = "critical",
	};

	return names[severity];
}

static void print_fingerprint(struct sink *out, struct finding *finding)
{
	struct text text = { .words = NULL };
	char fingerprint[FINGERPRINT_TEXT];

	fingerprint_add_finding(&text, finding->kind, &finding->places);
	fingerprint_of(&text, fingerprint);
	sink_named_string(out, "fingerprint", fingerprint);
	text_done(&text);
}

static void print_finding(struct sink *out, struct finding *finding)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "kind", finding->kind);
	sink_named_string(out, "severity", severity_name(finding->severity));
	sink_named_string(out, "text", text_words(&finding->text));
	sink_named_string(out, "advice", finding->advice);
	sink_named_uint(out, "affected", finding->affected);
	if (finding->observed_ns)
		sink_named_uint(out, "observed_ns", finding->observed_ns);
	print_fingerprint(out, finding);
	sink_named_begin(out, "goroutines", SINK_ARRAY);
	for (size_t i = 0; i < finding->goroutine_count; i++)
		sink_uint(out, finding->goroutines[i]);
	sink_end(out);
	sink_named_begin(out, "addresses", SINK_ARRAY);
	for (size_t i = 0; i < finding->address_count; i++)
		sink_address(out, finding->addresses[i]);
	sink_end(out);
	sink_end(out);
}

void print_findings(struct sink *out, const struct findings *findings)
{
	sink_begin(out, SINK_ARRAY);
	for (size_t i = 0; i < findings->count; i++)
		print_finding(out, findings->list[i]);
	sink_end(out);
}
