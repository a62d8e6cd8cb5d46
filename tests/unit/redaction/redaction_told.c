/* SPDX-License-Identifier: Apache-2.0 */
/* What texts say of secrets other than by an assignment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#include "tests/unit/redaction/expected.h"

static void told(void **state)
{
	static const struct {
		const char *text, *rule, *left;
	} cases[] = {
		{ "<wsse:Password Type=\"x\">hunter2</wsse:Password>", "key_value",
		  "<wsse:Password Type=\"x\">[redacted]</wsse:Password>" },
		{ "<password><![CDATA[hunter2]]></password>", "key_value",
		  "<password><![CDATA[[redacted]</password>" },
		{ "<password/>bob", NULL, NULL },
		{ "a <password> b", "key_value", "a <password>[redacted]" },
		{ ":password=>\"hunter2\"", "key_value", ":password=>\"[redacted]\"" },
		{ "bob:hunter2@cloudsql-mysql(a:b:c)/x", "url_password",
		  "bob:[redacted]@cloudsql-mysql(a:b:c)/x" },
		{ "alter user bob identified by 'hunter2' x", "key_value",
		  "alter user bob identified by '[redacted]' x" },
		{ "bob:$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy:1",
		  "service_key", "bob:[redacted]:1" },
		{ "$2 is $6", NULL, NULL },
		{ "[{\"name\":\"DB_PASSWORD\",\"value\":\"hunter2\"}]", "key_value",
		  "[{\"name\":\"DB_PASSWORD\",\"value\":\"[redacted]\"}]" },
		{ "- name: DB_PASSWORD\n  value: hunter2\n", "key_value",
		  "- name: DB_PASSWORD\n  value: [redacted]\n" },
		{ "{\"name\":\"user\",\"value\":\"bob\"}", NULL, NULL },
		{ "value: 1", NULL, NULL },
		{ "--x\r\nContent-Disposition: form-data; "
		  "name=\"password\"\r\n\r\nhun\r\n--x",
		  "key_value",
		  "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n"
		  "[redacted]\r\n--x" },
		{ "\"\r\n\r\n", NULL, NULL },
		{ "*2\r\n$4\r\nauth\r\n$7\r\nhunter2\r\n*1\r\n", "key_value",
		  "*2\r\n$4\r\nauth[redacted]\r\n*1\r\n" },
		{ "*2\r\n$4\r\nauth\r\n$7\r\nhun", "key_value",
		  "*2\r\n$4\r\nauth[redacted]" },
		{ "*4\r\n$4\r\nauth\r\n$3\r\nbob\r\n$0007\r\nhunter2\r\n$1\r\nx",
		  "key_value", "*4\r\n$4\r\nauth[redacted]\r\n$1\r\nx" },
		{ "*2\r\n$4\r\nauth\r\n$00007\r\nhunter2\r\n", NULL, NULL },
		{ "USER bob\r\nPASS hunter2\r\n", "key_value",
		  "USER bob\r\nPASS [redacted]\r\n" },
		{ "PASS ok", NULL, NULL },
		{ "AUTH PLAIN AGJvYgBodW50ZXIy", "key_value", "AUTH PLAIN [redacted]" },
		{ "AUTH PLAIN AGJvYgBodW50ZXIy\n", "key_value",
		  "AUTH PLAIN [redacted]\n" },
		{ "AUTH PLAIN required", NULL, NULL },
	};
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		redaction_forget(r);
		expect_text(r, cases[i].text, cases[i].rule, cases[i].left);
	}
}

#define SIGNED "abcdefghijklmnopqrstuvwxyz012345"
#define BOT "AAabcdefghijklmnopqrstuvwxyz0123456"
#define SCOPE "AKIAIOSFODNN7EXAMPLE/20261122/eu-west-1/s3/aws4_request"

/* Who has a signed address may use it. */
static void addresses(void **state)
{
	static const struct {
		const char *text, *rule, *left;
	} cases[] = {
		{ "https://b.s3/x?X-Amz-Credential=" SCOPE "&X-Amz-Signature=" SIGNED,
		  "key_value",
		  "https://b.s3/x?X-Amz-Credential=" SCOPE
		  "&X-Amz-Signature=[redacted]" },
		{ "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20261122%2Fx", NULL, NULL },
		{ SCOPE, NULL, NULL },
		{ "AKIAIOSFODNN7EXAMPLE/20", "service_key", "[redacted]/20" },
		{ "ghp_16C7e42F292c6912E7710c838347Ae178B4a/20261122/x", "service_key",
		  "[redacted]/20261122/x" },
		{ "https://a.blob/x?sv=2020-08-04&sig=" SIGNED "%3D&se=1", "key_value",
		  "https://a.blob/x?sv=2020-08-04&sig=[redacted]&se=1" },
		{ "sv=1&sig=" SIGNED, "key_value", "sv=1&sig=[redacted]" },
		{ "AWS4-HMAC-SHA256 SignedHeaders=host, Signature=" SIGNED, "key_value",
		  "AWS4-HMAC-SHA256 SignedHeaders=host, Signature=[redacted]" },
		{ "signal, sig=11", NULL, NULL },
		{ "to=https%3A%2F%2Fapi%2Fbot123456789%"
		  "3AAAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw%2Fx",
		  "service_key", "to=https%3A%2F%2Fapi%2Fbot123456789%3A[redacted]%2Fx" },
		{ "sig=" SIGNED "&sv=1", "key_value", "sig=[redacted]&sv=1" },
		{ "SharedAccessSignature sr=x&sig=" SIGNED "&se=1", "key_value",
		  "SharedAccessSignature sr=x&sig=[redacted]&se=1" },
		{ "d.net/x?Expires=1&Signature=" SIGNED "&Key-Pair-Id=K", "key_value",
		  "d.net/x?Expires=1&Signature=[redacted]&Key-Pair-Id=K" },
		{ "?to=%3Fse%3D1%26sig%3D" SIGNED "%26sv%3D1", "key_value",
		  "?to=%3Fse%3D1%26sig%3D[redacted]%26sv%3D1" },
		{ "killed: sig=11 code=1", NULL, NULL },
		{ "a.blob/x?sig=short&se=1", NULL, NULL },
		{ "got sig=" SIGNED " again", NULL, NULL },
		{ "sig: " SIGNED, NULL, NULL },
		{ "https://api.telegram.org/bot123456789:" BOT "/getMe", "service_key",
		  "https://api.telegram.org/bot123456789:[redacted]/getMe" },
		{ "/bot123456789:AAab", "service_key", "/bot123456789:[redacted]" },
		{ "bot is 123456789:" BOT, "service_key", "bot is 123456789:[redacted]" },
		{ "123456789:" BOT "7", NULL, NULL },
		{ "robot123456789:" BOT "/x", NULL, NULL },
		{ "/bot12:34:56/x", NULL, NULL },
		{ "/bot123456789:short/x", NULL, NULL },
		{ "X-Signature: sha256=abc\r\nHost: x", "key_value",
		  "X-Signature: [redacted]\r\nHost: x" },
		{ "{\"assertion\":\"abc\",\"n\":1}", "key_value",
		  "{\"assertion\":\"[redacted]\",\"n\":1}" },
		{ "bindpw abc", NULL, NULL },
		{ "bindpw: ab12", "key_value", "bindpw: [redacted]" },
	};
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		redaction_forget(r);
		expect_text(r, cases[i].text, cases[i].rule, cases[i].left);
	}
}

/* In one text. */
static void commands(void **state)
{
	static const struct {
		const char *text, *left;
	} cases[] = {
		{ "mysql -u root -phunter2 db", "mysql -u root -p[redacted] db" },
		{ "/usr/bin/mysqldump -phunter2", "/usr/bin/mysqldump -p[redacted]" },
		{ "sh -c 'mysql -uroot -phunter2'", "sh -c 'mysql -uroot -p[redacted]'" },
		{ "cd /x; mariadb-dump -phunter2 db|gzip",
		  "cd /x; mariadb-dump -p[redacted] db|gzip" },
		{ "mysql -P 3306 -h db", NULL },
		{ "mysql -p db", NULL },
		{ "mysqld_exporter -port=9104", NULL },
		{ "sshpass -p hunter2 ssh -p 22 bob@x",
		  "sshpass -p [redacted] ssh -p 22 bob@x" },
		{ "sshpass -phunter2 ssh x", "sshpass -p[redacted] ssh x" },
		{ "curl -u bob:hunter2 https://x", "curl -u bob:[redacted] https://x" },
		{ "curl -s --user 'bob:hunter2' x", "curl -s --user 'bob:[redacted]' x" },
		{ "curl -ubob:hunter2 x", "curl -ubob:[redacted] x" },
		{ "curl -U bob:hunter2 x", "curl -U bob:[redacted] x" },
		{ "curl -fsSLu bob:hunter2 x", "curl -fsSLu bob:[redacted] x" },
		{ "curl -oux bob:x", NULL },
		{ "curl 'x?a=1&b=2' -u bob:hunter2",
		  "curl 'x?a=1&b=2' -u bob:[redacted]" },
		{ "curl -d '{}' http://[::1]/ -u bob:hunter2",
		  "curl -d '{}' http://[::1]/ -u bob:[redacted]" },
		{ "curl -u 'bob:a b' -s x", "curl -u 'bob:[redacted]' -s x" },
		{ "curl -u bob:'a b' -s x", "curl -u bob:'[redacted]' -s x" },
		{ "sh -c 'curl -u bob:hunter2' 'x'",
		  "sh -c 'curl -u bob:[redacted]' 'x'" },
		{ "mysql -p'a b' db", "mysql -p'[redacted]' db" },
		{ "sshpass -p \"a b\" ssh x", "sshpass -p \"[redacted]\" ssh x" },
		{ "true&&mysql -phunter2", "true&&mysql -p[redacted]" },
		{ "x=$(mysql -phunter2)", "x=$(mysql -p[redacted]" },
		{ "[mysql -u root -phunter2]", "[mysql -u root -p[redacted]" },
		{ "mysql\t-phunter2", "mysql\t-p[redacted]" },
		{ "mysql \\\n  -phunter2", "mysql \\\n  -p[redacted]" },
		{ "mysql\nother -phunter2", NULL },
		{ "{\"Cmd\":[\"mysql\",\"-phunter2\",\"db\"]}",
		  "{\"Cmd\":[\"mysql\",\"-p[redacted]\",\"db\"]}" },
		{ "['curl', '-u', 'bob:hunter2', 'x:80']",
		  "['curl', '-u', 'bob:[redacted]', 'x:80']" },
		{ "mysqldump --single-transaction --routines --triggers --events --quick "
		  "--host=primary.databases.example.org --user=backup --port=3306 "
		  "-phunter2",
		  "mysqldump --single-transaction --routines --triggers --events --quick "
		  "--host=primary.databases.example.org --user=backup --port=3306 "
		  "-p[redacted]" },
		{ "curl -u bob x:80", NULL },
		{ "redis-cli -h x -a hunter2 ping", "redis-cli -h x -a [redacted] ping" },
		{ "ldapsearch -D cn=x -w hunter2", "ldapsearch -D cn=x -w [redacted]" },
		{ "mongodump -u bob -p hunter2", "mongodump -u bob -p [redacted]" },
		{ "mosquitto_pub -u bob -P hunter2",
		  "mosquitto_pub -u bob -P [redacted]" },
		{ "docker run -p 8080:80 nginx", NULL },
		{ "run x -p hunter2", NULL }, /* of no program that is known */
		{ "mysql; other -phunter2", NULL },
		{ "ssh -p 2222 bob@x", NULL },
		{ "mysql -p", NULL },
		{ "sshpass -p ", NULL },
	};
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		redaction_forget(r);
		expect_text(r, cases[i].text, cases[i].left ? "key_value" : NULL,
			    cases[i].left);
	}
}

/* As a list has them: [ ] around what is redacted. */
static void lists(void **state)
{
	enum { WORDS_MAX = 8 };
	static const char *const cases[][WORDS_MAX] = {
		{ "run", "--password", "[hunter2]", "x" },
		{ "run", "--password=x", "y" },
		{ "mysql", "-u", "root", "-p[hunter2]", "db" },
		{ "sudo", "/usr/bin/mysql", "-p[hunter2]" },
		{ "sshpass", "-p", "[4711]", "ssh", "-p", "22" },
		{ "curl", "-u", "bob:[hunter2]", "x:80" },
		{ "curl", "-u", "bob", "x:80" },
		{ "tool", "-p", "[hunter2]", "-v" },
		{ "tool", "-p", "8080" },
		{ "docker", "run", "-p", "8080:80", "-p", "127.0.0.1:53:53/udp" },
		{ "tool", "-p", "localhost:80" },
		{ "tool", "-p", "/var/lib/x" },
		{ "tool", "-p", "-v", "x" },
		{ "tool", "-p", "{\"a\":1}" },
		{ "mkdir", "-p", "folder" },
		{ "git", "log", "-p", "main" },
		{ "docker-compose", "-p", "shop", "up" },
		{ "-p", "", "x" },
		{ "tool", "-p" },
	};
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arguments words = { .program = 0 };
		for (size_t w = 0; w < WORDS_MAX && cases[i][w]; w++) {
			const char *begin = strchr(cases[i][w], '[');
			char word[64];
			size_t n = 0, from;
			for (const char *c = cases[i][w]; *c; c++)
				if (*c != '[' && *c != ']')
					word[n++] = *c;
			from = redaction_of_argument(r, &words, word, n);
			if (from != (begin ? (size_t)(begin - cases[i][w]) : n))
				fail_msg("case %zu, %s: redacted from %zu on", i,
					 cases[i][w], from);
		}
	}
}

static void rest(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	struct redacted left = redaction_of_rest(r, 0x1000, "-phunter2", 9, 2);
	(void)state;
	assert_string_equal(left.rule, "key_value");
	assert_int_equal(left.len, strlen("-p[redacted]"));
	assert_memory_equal(left.text, "-p[redacted]", left.len);
	redacted_done(&left);
	assert_true(redaction_at(r, 0x1002, 7));
	assert_false(redaction_at(r, 0x1000, 2));
	expect_text(r, "it was hunter2", "copy_of_secret", "it was [redacted]");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told),	    cmocka_unit_test(addresses),
		cmocka_unit_test(commands), cmocka_unit_test(lists),
		cmocka_unit_test(rest),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
