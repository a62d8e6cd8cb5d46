/* SPDX-License-Identifier: Apache-2.0 */
/* patterns_token.c - keys and tokens in a documented format of their own. */
#include "redaction/redaction_priv.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define UPPER LETTERS_UPPER
#define DIGITS LETTERS_DIGITS
#define WORD LETTERS_WORD
#define TOKEN LETTERS_TOKEN
#define BASE64 LETTERS_BASE64

/* Keys and tokens as their issuers document them: a prefix, and at least so many
 * characters after it. Sorted by first character. */
static const struct {
	const char *prefix, *letters;
	size_t least;
} keys[] = {
	{ "AGE-SECRET-KEY-1", UPPER DIGITS, 40 },
	{ "AIza", TOKEN, 35 },		    /* Google API */
	{ "AKIA", UPPER DIGITS, 16 },	    /* AWS, IAM user */
	{ "ATATT3", BASE64, 40 },	    /* Atlassian */
	{ "ASIA", UPPER DIGITS, 16 },	    /* AWS, temporary */
	{ "CFPAT-", TOKEN, 40 },	    /* Contentful */
	{ "EAACEdEose0cBA", TOKEN, 8 },	    /* Facebook */
	{ "GOCSPX-", TOKEN, 20 },	    /* Google OAuth client */
	{ "PMAK-", TOKEN, 40 },		    /* Postman */
	{ "SG.", WORD "_-.", 40 },	    /* SendGrid */
	{ "dapi", "0123456789abcdef", 32 }, /* Databricks */
	{ "dckr_pat_", TOKEN, 20 },	    /* Docker */
	{ "discord.com/api/webhooks/", WORD "/_-", 30 },
	{ "doo_v1_", TOKEN, 40 }, /* DigitalOcean */
	{ "dop_v1_", TOKEN, 40 },
	{ "dor_v1_", TOKEN, 40 },
	{ "gho_", TOKEN, 30 }, /* GitHub */
	{ "ghp_", TOKEN, 30 },
	{ "ghr_", TOKEN, 30 },
	{ "ghs_", TOKEN, 30 },
	{ "ghu_", TOKEN, 30 },
	{ "github_pat_", WORD "_", 30 },
	{ "glpat-", TOKEN, 20 }, /* GitLab */
	{ "glsa_", TOKEN, 30 },	 /* Grafana */
	{ "gsk_", TOKEN, 40 },	 /* Groq */
	{ "hf_", TOKEN, 30 },	 /* Hugging Face */
	{ "hooks.slack.com/services/", WORD "/", 20 },
	{ "hvb.", TOKEN, 24 }, /* Vault */
	{ "hvs.", TOKEN, 24 },
	{ "lin_api_", TOKEN, 30 }, /* Linear */
	{ "npm_", TOKEN, 36 },
	{ "pscale_tkn_", TOKEN, 30 }, /* PlanetScale */
	{ "pypi-", TOKEN, 40 },
	{ "rk_live_", TOKEN, 20 }, /* Stripe */
	{ "rk_test_", TOKEN, 20 },
	{ "rubygems_", TOKEN, 40 },
	{ "shpat_", TOKEN, 30 }, /* Shopify */
	{ "shpca_", TOKEN, 30 },
	{ "shppa_", TOKEN, 30 },
	{ "shpss_", TOKEN, 30 },
	{ "sk-", TOKEN, 20 }, /* OpenAI, Anthropic */
	{ "sk_live_", TOKEN, 20 },
	{ "sk_test_", TOKEN, 20 },
	{ "sq0atp-", TOKEN, 20 }, /* Square */
	{ "sq0csp-", TOKEN, 30 },
	{ "webhook.office.com/", WORD "/@-", 40 }, /* Teams */
	{ "whsec_", TOKEN, 20 },
	{ "xapp-", TOKEN, 20 },	   /* Slack */
	{ "xkeysib-", TOKEN, 40 }, /* Brevo */
	{ "xoxa-", TOKEN, 20 },
	{ "xoxb-", TOKEN, 20 },
	{ "xoxe.", WORD "-.", 20 },
	{ "xoxp-", TOKEN, 20 },
	{ "xoxr-", TOKEN, 20 },
	{ "xoxs-", TOKEN, 20 },
	{ "ya29.", TOKEN, 20 }, /* Google OAuth access */
};

/* "AKIA.../20261122/eu-west-1/s3/aws4_request": X-Amz-Credential only says who signed. */
static bool is_scope(const char *text, size_t len, size_t at)
{
	enum { DATE = 8 };
	size_t slash = follows(text, len, at, "/") ? 1 : 3;

	return (slash == 1 || follows(text, len, at, "%2F")) &&
	       count_letters(text, len, at + slash, DIGITS) == DATE;
}

static bool is_of_maker(const char *text, size_t len, size_t at, struct span *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys) && keys[i].prefix[0] <= text[at]; i++) {
		if (keys[i].prefix[0] < text[at] ||
		    !follows(text, len, at, keys[i].prefix))
			continue;
		size_t begin = at + strlen(keys[i].prefix);
		size_t n = count_letters(text, len, begin, keys[i].letters);
		*ret = (struct span){ at, begin + n, "service_key" };
		if (n >= keys[i].least || (n > 0 && begin + n == len))
			return !is_scope(text, len, begin + n);
	}
	return false;
}

/* Password hashes of crypt(3) and its successors: $2a$10$..., $argon2id$v=19$... */
bool is_password_hash(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { LEAST = 16 };
	static const char *const schemes[] = { "$1$",	   "$2a$",     "$2b$", "$2y$",
					       "$5$",	   "$6$",      "$7$",  "$apr1$",
					       "$argon2d", "$argon2i", "$gy$", "$y$",
					       "$scrypt$" };

	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		if (!follows(text, len, at, schemes[i]))
			continue;
		*ret = (struct span){ at,
				      at + count_letters(text, len, at, WORD "$./+=,-"),
				      "service_key" };
		return ret->end - at >= LEAST;
	}
	return false;
}

/* RFC 7519: three parts in base64url, the first of them JSON: {" is eyJ. */
static bool is_jwt(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { PART_MIN = 8, PART_ENOUGH = 2048 };
	size_t end = at, n;

	if (!follows(text, len, at, "eyJ"))
		return false;
	for (int part = 0; part < 3; part++) {
		n = count_letters(text, len, end, WORD "_-");
		end += n;
		/* Cut off, or without a signature; or so long that this is not searched
		 * again. */
		if (end == len || n >= PART_ENOUGH)
			break;
		if (n < PART_MIN || (part < 2 && text[end] != '.'))
			return false;
		end += part < 2;
	}
	*ret = (struct span){ at, end, "jwt" };
	return end - at > 2 * PART_MIN;
}

/* "Bearer abc", "Basic abc": RFC 6750, 7617. */
static bool is_bearer(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { LEAST = 8 };
	static const char *const words[] = { "bearer ", "basic " };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i]);
		if (len - at < n || strncasecmp(text + at, words[i], n) != 0)
			continue;
		size_t token = count_letters(text, len, at + n, BASE64 "._~");
		*ret = (struct span){ at + n, at + n + token, "authorization" };
		return token >= LEAST;
	}
	return false;
}

/* Telegram's, as in /bot123456789:AAabc/getMe: the number is the bot's id. */
bool is_bot_token(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { ID_MIN = 6, ID_MAX = 12, LEAST = 30, ALONE = 35 };
	bool named = follows(text, len, at, "bot");
	size_t id = named ? at + strlen("bot") : at;
	size_t digits = count_letters(text, len, id, DIGITS), colon = id + digits;
	size_t begin = colon + 1;

	if (digits < ID_MIN || digits > ID_MAX || begin >= len || text[colon] != ':')
		return false;
	size_t n = count_letters(text, len, begin, TOKEN);
	*ret = (struct span){ begin, begin + n, "service_key" };
	if (named)
		return n >= LEAST || (n > 0 && begin + n == len);
	return n == ALONE && follows(text, len, begin, "AA");
}

bool is_token(const char *text, size_t len, size_t at, struct span *ret)
{
	if (is_jwt(text, len, at, ret) || is_bearer(text, len, at, ret) ||
	    is_of_maker(text, len, at, ret))
		return true;
	switch (text[at]) {
	case 'M':
		return is_base64_key(text, len, at, ret);
	case 'b':
		return is_bot_token(text, len, at, ret) ||
		       is_base64_key(text, len, at, ret);
	}
	return false;
}
