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

/* Fields that are not secret though the whole is: of a URL the user and the query are, not
 * the host. "*": all. What is in them is judged by itself. */
static const struct {
	const char *type, *fields;
} open_fields[] = {
	{ "context.cancelCtx", "*" },
	{ "context.timerCtx", "*" },
	{ "crypto/tls.Config", "*" },
	{ "flag.Flag", " Name Usage " },
	{ "flag.FlagSet", "*" },
	{ "github.com/spf13/cobra.Command", "*" },
	{ "github.com/spf13/pflag.Flag", " Name Shorthand Usage Changed Deprecated "
					 "Hidden ShorthandDeprecated Annotations " },
	{ "github.com/spf13/pflag.FlagSet", "*" },
	{ "go.uber.org/zap.Logger", "*" },
	{ "golang.org/x/oauth2.Token", " TokenType Expiry ExpiresIn expiryDelta " },
	{ "golang.org/x/time/rate.Limiter", " mu limit burst tokens last lastEvent " },
	{ "google.golang.org/grpc.MethodDesc", "*" },
	{ "google.golang.org/grpc.Server", "*" },
	{ "google.golang.org/grpc.ServiceDesc", "*" },
	{ "google.golang.org/grpc.serviceInfo", "*" },
	{ "log.Logger", "*" },
	{ "log/slog.Logger", "*" },
	{ "net.TCPAddr", "*" },
	{ "net.netFD", "*" },
	{ "net/http.Client", "*" },
	{ "net/http.Cookie",
	  " Name Quoted Path Domain Expires RawExpires MaxAge Secure HttpOnly "
	  "SameSite Partitioned " },
	{ "net/http.Server", "*" },
	{ "net/http.Transport", "*" },
	{ "net/url.URL", " Scheme Host Path RawPath OmitHost ForceQuery " },
	{ "os.File", "*" },
	{ "reflect.rtype", "*" },
	{ "sync.Cond", "*" },
	{ "sync.Mutex", "*" },
	{ "sync.Once", "*" },
	{ "sync.RWMutex", "*" },
	{ "sync.WaitGroup", "*" },
	{ "time.Ticker", "*" },
	{ "time.Timer", "*" },
};

/* Last words of the names of types whose numbers are constants of the program. */
static const char *const enum_words[] = { "count",    "duration", "flag",  "flags",
					  "handling", "kind",	  "level", "mode",
					  "op",	      "policy",	  "state", "status",
					  "type" };

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

bool redaction_is_open(const char *type, const char *field, bool *ret_by_name)
{
	for (size_t i = 0; i < ARRAY_SIZE(open_fields); i++) {
		if (strcmp(type, open_fields[i].type) != 0)
			continue;
		const char *fields = open_fields[i].fields, *at = strstr(fields, field);
		const size_t len = strlen(field);
		*ret_by_name = *fields != '*';
		return !*ret_by_name ||
		       (at && len && at > fields && at[-1] == ' ' && at[len] == ' ');
	}
	return false;
}

bool redaction_is_enum(const char *type)
{
	size_t len;
	const char *name = own_name(type, &len);

	if (!strchr(type, '.'))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(enum_words); i++) {
		const size_t n = strlen(enum_words[i]);
		if (len < n || strncasecmp(name + len - n, enum_words[i], n) != 0)
			continue;
		/* "ErrorOp" and "op", not "Laptop". */
		if (len == n || (name[len - n] >= 'A' && name[len - n] <= 'Z'))
			return true;
	}
	return false;
}

const char *redaction_of_member(struct redaction *r, const char *type, const char *field)
{
	static const char session[] = "session";
	const size_t n = strlen(session);
	size_t len;
	const char *name = own_name(type, &len);
	char both[64];

	if (strcasecmp(field, "id") != 0 || len < n ||
	    len + strlen("ID") >= sizeof(both) ||
	    strncasecmp(name + len - n, session, n) != 0)
		return NULL;
	memcpy(both, name, len);
	memcpy(both + len, "ID", strlen("ID"));
	return redaction_of_name(r, both, len + strlen("ID"));
}
