/* SPDX-License-Identifier: Apache-2.0 */
/* Names of secrets, and what only looks like one. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "tests/unit/unit.h"

#include "tests/unit/redaction/expected.h"

static void names(void **state)
{
	static const char *const secret[] = {
		"password",
		"Password",
		"DB_PASSWORD",
		"dbPassword2",
		"passwd",
		"pwd",
		"dbpassword",
		"secret",
		"clientSecret",
		"SECRETS",
		"token",
		"Tokens",
		"accessToken",
		"x-auth-token",
		"id_token",
		"Authorization",
		"apiKey",
		"APIKey",
		"api_keys",
		"x-api-key",
		"apikey",
		"private_key",
		"privKey",
		"rsaPrivateKey",
		"cookie",
		"Set-Cookie",
		"sessionID",
		"session",
		"ssn",
		"userSSN",
		"card",
		"creditCard",
		"card_number",
		"cardNumber",
		"creds",
		"AWS_SECRET_ACCESS_KEY",
		"awsAccessKeyID",
		"main.config.password",
		"jwt",
		"socialSecurityNumber",
		"Auth",
		"REDISCLI_AUTH",
		"pw",
		"DBPASS",
		"PHPSESSID",
		"clientKeyData",
		"STRIPE_KEY",
		"cardExpiry",
		"auth_code",
		"authCode",
		"Pin",
		"PIN",
		"cardPin",
		"bindpw",
		"dbpw",
		"LDAP_BINDPW",
		"assertion",
		"samlAssertion",
		"client_assertion",
		"X-Signature",
		"X-Amz-Signature",
		"X-Hub-Signature-256",
		"aws_credential",
		"X-Functions-Key",
		"x-insert-key",
		"X-Honeycomb-Team",
		"Grafana-Key",
		"Foo-Token",
		"X-Foo-Secret",
		"code_verifier",
		"codeVerifier",
		"magicLink",
		".dockerconfigjson",
	};
	static const char *const open[] = {
		"",
		"name",
		"user",
		"key",
		"keys",
		"cardinality",
		"discard",
		"pass1on",
		"compass",
		"bypassed",
		"tokenizer",
		"author",
		"authors",
		"assignment",
		"credits",
		"sessile",
		"wildcards",
		"publicKey",
		"primaryKey",
		"otpauthor",
		"secede",
		"keyboard",
		"userInfo",
		"authType",
		"PUBLIC_KEY",
		"sort_key",
		"KEY",
		"maxTokens",
		"session_timeout",
		"tokenCount",
		"num_sessions",
		"processID",
		"tokenType",
		"tokenPath",
		"X-Amz-Credential",
		"x-goog-credential",
		"Signature",
		"sig",
		"pinned",
		"spin",
		"pinger",
		"ping",
		"assertionFailed",
		"client_assertion_type",
		"codeAuthor",
		"httpw",
		"X-Signed-By",
		"primary-key",
		"Cache-Key",
		"Idempotency-Key",
		"Sec-WebSocket-Key",
		"--sort-key",
		"codec",
		"license",
		"seed",
	};
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	for (int again = 0; again < 2; again++) { /* the second time from the cache */
		for (size_t i = 0; i < ARRAY_SIZE(secret); i++)
			if (!redaction_of_name(r, secret[i], strlen(secret[i])))
				fail_msg("%s is no secret", secret[i]);
		for (size_t i = 0; i < ARRAY_SIZE(open); i++)
			if (redaction_of_name(r, open[i], strlen(open[i])))
				fail_msg("%s is a secret", open[i]);
	}
}

/* Which names are shown though what has such a name is not, and which letters only look like one. */
static void names_themselves(void **state)
{
	static const char *const names[] = { "access_token", "X-Api-Key", "dbPassword",
					     "AWS_SECRET_ACCESS_KEY" };
	static const char *const others[] = { "dVHbfoLNmRiLzzhRAuDRIIPw", "harmless",
					      "ZvLCICuDjeJYKPwKHSugBGKQ" };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_true(redaction_is_name(r, names[i], strlen(names[i])));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(redaction_is_name(r, others[i], strlen(others[i])));
}

/* Of a query or a form, where "sig" is no signal. */
static void parameters(void **state)
{
	static const char *const secret[] = { "sig", "Signature", "SIG", "password" };
	static const char *const open[] = { "sign", "sigs", "user", "" };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(secret); i++)
		assert_non_null(redaction_of_parameter(r, secret[i], strlen(secret[i])));
	for (size_t i = 0; i < ARRAY_SIZE(open); i++)
		assert_null(redaction_of_parameter(r, open[i], strlen(open[i])));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(names_themselves),
		cmocka_unit_test(parameters),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
