/* SPDX-License-Identifier: Apache-2.0 */
#include "redaction/redaction_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Consecutive words of a name, in lower case and singular. */
static const char *const phrases[] = {
	"access key",
	"account key",
	"aes key",
	"api key",
	"app key",
	"auth code",
	"auth header",
	"auth key",
	"authorization",
	"bearer",
	"block key",
	"card",
	"cipher key",
	"client assertion",
	"client key",
	"code verifier",
	"consumer key",
	"cookie",
	"cred",
	"credential",
	"csrf",
	"cvc",
	"cvv",
	"cvv2",
	"decryption key",
	"deploy key",
	"encryption key",
	"function key",
	"hmac key",
	"honeycomb team",
	"ingest key",
	"insert key",
	"instrumentation key",
	"jwt",
	"license key",
	"mac key",
	"magic link",
	"master key",
	"mnemonic",
	"otp",
	"pass",
	"passcode",
	"passphrase",
	"passwd",
	"password",
	"pin code",
	"pre shared key",
	"preshared key",
	"priv key",
	"private key",
	"psk",
	"psw",
	"pswd",
	"pw",
	"pwd",
	"recovery code",
	"reset link",
	"root key",
	"saml response",
	"secret",
	"seed phrase",
	"server key",
	"service key",
	"session",
	"shared key",
	"signing key",
	"social security",
	"ssh key",
	"ssn",
	"storage key",
	"subscription key",
	"tls key",
	"token",
	"totp",
	"unseal key",
	"userinfo",
	"verification code",
	"write key",
	"xsrf",
};

/* Anywhere in a name written as one word: dbpassword, apikeys, sessionid. */
static const char *const stems[] = {
	"accesskey",	"accesstoken",	"adminpw",	    "apikey",
	"apitoken",	"authcode",	"authkey",	    "authorization",
	"authtoken",	"bindpw",	"cardnumber",	    "clientsecret",
	"codeverifier", "credential",	"creditcard",	    "dbpass",
	"dbpw",		"dockercfg",	"dockerconfigjson", "magiclink",
	"passphrase",	"passwd",	"password",	    "privatekey",
	"privkey",	"refreshtoken", "requirepass",	    "rootpw",
	"secret",	"sessid",	"sessionid",	    "sessionkey",
	"sessiontoken", "signingkey",	"smtppass",	    "socialsecurity",
	"userpass",	"userpw",	"usertoken",
};

/* X-Foo-Key is a header that lets its sender in. These are others' keys: of caches, of
 * tables, and what both sides may know. */
static const char *const public_keys[] = {
	"cache",   "foreign",	"host",	     "idempotency", "index",
	"message", "partition", "primary",   "public",	    "routing",
	"row",	   "shard",	"socket",    "sort",	    "surrogate",
	"unique",  "vary",	"websocket", "object",	    "natural",
};

/* At the end of a name: proxyAuth, userPin, samlAssertion. */
static const char *const ends[] = { "assertion", "auth", "pin" };

/* In signed requests: names with one of the words above, that only say who signed. */
static const char *const public_names[] = { " x amz credential ", " x goog credential " };

/* Names of numbers, durations, kinds and places: max_tokens, SessionTimeout,
 * tokenType. */
static const char *const firsts[] = { "max", "min", "num", "total" };
static const char *const lasts[] = { "count",	"index",    "interval", "kind", "len",
				     "length",	"lifetime", "limit",	"path", "size",
				     "timeout", "ttl",	    "type" };

enum { NAME_MAX = 256 };

static bool begins_word(const char *name, size_t i, size_t len)
{
	unsigned char c = (unsigned char)name[i], before = (unsigned char)name[i - 1];

	if (!isupper(c))
		return false;
	return !isupper(before) || (i + 1 < len && islower((unsigned char)name[i + 1]));
}

/* Ends the last word: drops a plural's s and trailing digits. */
static char *end_word(char *begin, char *to)
{
	while (to - begin > 1 && isdigit((unsigned char)to[-1]))
		to--;
	if (to - begin > 3 && to[-1] == 's' && to[-2] != 's')
		to--;
	return to;
}

/* " api key " for APIKeys, api_key1, x-API-key. ret has room for 2 * NAME_MAX + 3
 * bytes. */
static void split(const char *name, size_t len, char *ret)
{
	char *to = ret, *word;

	*to++ = ' ';
	word = to;
	for (size_t i = 0; i < len; i++) {
		bool is_part = isalnum((unsigned char)name[i]);
		if (to > word && (!is_part || begins_word(name, i, len))) {
			to = end_word(word, to);
			*to++ = ' ';
			word = to;
		}
		if (is_part)
			*to++ = (char)tolower((unsigned char)name[i]);
	}
	if (to > word) {
		to = end_word(word, to);
		*to++ = ' ';
	}
	*to = '\0';
}

static bool has_phrase(const char *words)
{
	for (size_t i = 0; i < ARRAY_SIZE(phrases); i++) {
		size_t len = strlen(phrases[i]);
		for (const char *at = words; (at = strstr(at + 1, phrases[i]));)
			if (at[-1] == ' ' && at[len] == ' ')
				return true;
	}
	return false;
}

static bool has_stem(const char *words)
{
	char together[2 * NAME_MAX + 3], *to = together;

	for (; *words; words++)
		if (*words != ' ')
			*to++ = *words;
	*to = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(stems); i++)
		if (strstr(together, stems[i]))
			return true;
	return false;
}

/* words: " a b " */
static bool begins_with(const char *words, const char *word)
{
	size_t len = strlen(word);

	return strncmp(words + 1, word, len) == 0 && words[1 + len] == ' ';
}

static bool ends_with(const char *words, const char *word)
{
	size_t len = strlen(words), n = strlen(word);

	return len >= n + 2 && words[len - n - 2] == ' ' &&
	       memcmp(words + len - n - 1, word, n) == 0;
}

static bool is_measure(const char *words)
{
	for (size_t i = 0; i < ARRAY_SIZE(firsts); i++)
		if (begins_with(words, firsts[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(lasts); i++)
		if (ends_with(words, lasts[i]))
			return true;
	return false;
}

size_t name_words(const char *name, size_t len)
{
	char words[2 * NAME_MAX + 3];
	size_t n = 0;

	split(name, len < NAME_MAX ? len : NAME_MAX, words);
	for (const char *at = words + 1; (at = strchr(at, ' ')); at++)
		n++;
	return n;
}

/* STRIPE_KEY: an environment variable. */
static bool is_key_of_environment(const char *name, size_t len, const char *words)
{
	if (!memchr(name, '_', len) || !ends_with(words, "key") ||
	    ends_with(words, "public key"))
		return false;
	for (size_t i = 0; i < len; i++)
		if (islower((unsigned char)name[i]))
			return false;
	return true;
}

/* X-Hub-Signature-256, X-Amz-Signature: with it a request can be sent again. */
static bool is_header_of_signature(const char *words)
{
	return begins_with(words, "x") && strstr(words, " signature ");
}

/* X-Functions-Key, x-insert-key */
static bool is_header_of_key(const char *name, size_t len, const char *words)
{
	if (len == 0 || name[0] == '-' || !memchr(name, '-', len) ||
	    memchr(name, '_', len) || memchr(name, '.', len) || !ends_with(words, "key"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(public_keys); i++) {
		char end[32];
		snprintf(end, sizeof(end), "%s key", public_keys[i]);
		if (ends_with(words, end))
			return false;
	}
	return true;
}

static bool is_public(const char *words)
{
	for (size_t i = 0; i < ARRAY_SIZE(public_names); i++)
		if (strcmp(words, public_names[i]) == 0)
			return true;
	return is_measure(words);
}

static bool has_end(const char *words)
{
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends_with(words, ends[i]))
			return true;
	return false;
}

bool is_signature(const char *name, size_t len)
{
	return (len == strlen("sig") && strncasecmp(name, "sig", len) == 0) ||
	       (len == strlen("signature") && strncasecmp(name, "signature", len) == 0);
}

bool is_secret_name(const char *name, size_t len)
{
	char words[2 * NAME_MAX + 3];

	/* The end of a long name says what it is. */
	if (len > NAME_MAX) {
		name += len - NAME_MAX;
		len = NAME_MAX;
	}
	split(name, len, words);
	if (is_public(words))
		return false;
	return has_phrase(words) || has_stem(words) || has_end(words) ||
	       is_header_of_signature(words) || is_header_of_key(name, len, words) ||
	       is_key_of_environment(name, len, words);
}
