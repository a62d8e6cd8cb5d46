/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "redaction/redaction_priv.h"

/* Types that are secret as a whole, besides those with a secret's name. By package: the
 * internals of keys and ciphers. */
static const char *const secret_types[] = {
	"net/url.Userinfo",
	"net/http.Cookie",
	"golang.org/x/oauth2.Token",
};
static const char *const secret_packages[] = {
	"crypto/aes.",	    "crypto/cipher.", "crypto/des.",	 "crypto/dsa.",
	"crypto/ecdh.",	    "crypto/ecdsa.",  "crypto/ed25519.", "crypto/hmac.",
	"crypto/internal/", "crypto/rc4.",    "crypto/rsa.",
};
/* In the names of other types, where "Session" and "Token" often mean no secret. */
static const char *const secret_words[] = {
	"accesstoken", "apikey",     "bearertoken",  "credential", "passphrase",
	"password",    "privatekey", "refreshtoken", "secret",
};
static const char *const public_types[] = { "PublicKey", "Curve" };

static bool begins_with_one_of(const char *text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(text, list[i], strlen(list[i])) == 0)
			return true;
	return false;
}

/* "PrivateKey" for "*crypto/rsa.PrivateKey", "Box" for "vendor.Box[go.shape.int]". */
static const char *own_name(const char *type, size_t *ret_len)
{
	size_t end = strcspn(type, "[ {"), begin = end;

	while (begin > 0 && type[begin - 1] != '.' && type[begin - 1] != '/')
		begin--;
	*ret_len = end - begin;
	return type + begin;
}

/* Anywhere in it, in any case: type secretString string. */
static bool has_one_of(const char *name, size_t len, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t word = strlen(words[i]);
		for (size_t at = 0; at + word <= len; at++)
			if (strncasecmp(name + at, words[i], word) == 0)
				return true;
	}
	return false;
}

static bool is_of_keys(const char *type)
{
	return begins_with_one_of(type, secret_packages, ARRAY_SIZE(secret_packages));
}

bool redaction_is_public(const char *type)
{
	size_t len;

	return is_of_keys(type) && begins_with_one_of(own_name(type, &len), public_types,
						      ARRAY_SIZE(public_types));
}

bool is_secret_type(const char *type)
{
	size_t len;
	const char *name;

	for (size_t i = 0; i < ARRAY_SIZE(secret_types); i++)
		if (strcmp(type, secret_types[i]) == 0)
			return true;
	name = own_name(type, &len);
	if (is_of_keys(type))
		return !redaction_is_public(type);
	return has_one_of(name, len, secret_words, ARRAY_SIZE(secret_words));
}
