/* SPDX-License-Identifier: Apache-2.0 */
/* What texts say of secrets other than by an assignment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "redaction.h"

static void expect(struct redaction *r, const char *text, const char *rule,
		   const char *left)
{
	/* Just as long as it is, so that a sanitizer sees who reads on. */
	size_t len = strlen(text);
	char *exact = malloc(len ? len : 1);
	memcpy(exact, text, len);
	struct redacted found = redaction_of_text(r, 0, exact, len);
	AUTO(xfree) char *words = found.text ? xstrndup(found.text, found.len) : NULL;
	free(exact);
	if (!rule != !found.rule || (rule && strcmp(rule, found.rule) != 0))
		fail_msg("%s: %s, not %s", text, found.rule ? found.rule : "nothing",
			 rule ? rule : "nothing");
	if (!left != !words || (left && strcmp(left, words) != 0))
		fail_msg("%s: %s is left, not %s", text, words ? words : "nothing",
			 left ? left : "nothing");
	redacted_done(&found);
}

static void told(void **state)
{
	static const struct {
		const char *text, *rule, *left;
	} cases[] = {
		{ "<wsse:Password Type=\"x\">hunter2</wsse:Password>", "assignment",
		  "<wsse:Password Type=\"x\">[redacted]</wsse:Password>" },
		{ "<password><![CDATA[hunter2]]></password>", "assignment",
		  "<password><![CDATA[[redacted]</password>" },
		{ "<password/>bob", NULL, NULL },
		{ "a <password> b", "assignment", "a <password>[redacted]" },
		{ ":password=>\"hunter2\"", "assignment", ":password=>\"[redacted]\"" },
		{ "bob:hunter2@cloudsql-mysql(a:b:c)/x", "userinfo",
		  "bob:[redacted]@cloudsql-mysql(a:b:c)/x" },
		{ "alter user bob identified by 'hunter2' x", "assignment",
		  "alter user bob identified by '[redacted]' x" },
		{ "bob:$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy:1",
		  "key", "bob:[redacted]:1" },
		{ "$2 is $6", NULL, NULL },
		{ "[{\"name\":\"DB_PASSWORD\",\"value\":\"hunter2\"}]", "assignment",
		  "[{\"name\":\"DB_PASSWORD\",\"value\":\"[redacted]\"}]" },
		{ "- name: DB_PASSWORD\n  value: hunter2\n", "assignment",
		  "- name: DB_PASSWORD\n  value: [redacted]\n" },
		{ "{\"name\":\"user\",\"value\":\"bob\"}", NULL, NULL },
		{ "value: 1", NULL, NULL },
		{ "--x\r\nContent-Disposition: form-data; "
		  "name=\"password\"\r\n\r\nhun\r\n--x",
		  "assignment",
		  "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n"
		  "[redacted]\r\n--x" },
		{ "\"\r\n\r\n", NULL, NULL },
		{ "*2\r\n$4\r\nauth\r\n$7\r\nhunter2\r\n*1\r\n", "assignment",
		  "*2\r\n$4\r\nauth[redacted]\r\n*1\r\n" },
		{ "*2\r\n$4\r\nauth\r\n$7\r\nhun", "assignment",
		  "*2\r\n$4\r\nauth[redacted]" },
		{ "USER bob\r\nPASS hunter2\r\n", "assignment",
		  "USER bob\r\nPASS [redacted]\r\n" },
		{ "PASS ok", NULL, NULL },
	};
	const struct redaction_options options = { .mode = REDACT_SECRETS };
	struct err err;
	AUTO(redaction_free) struct redaction *r = redaction_new(&options, &err);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		redaction_forget(r);
		expect(r, cases[i].text, cases[i].rule, cases[i].left);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(told) };

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("redaction_told", tests, NULL, NULL);
}
