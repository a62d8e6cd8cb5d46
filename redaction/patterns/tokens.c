/* SPDX-License-Identifier: Apache-2.0 */
#include "redaction/patterns/tokens.h"

#include "redaction/patterns/patterns.h"

#define UPPER LETTERS_UPPER
#define DIGITS LETTERS_DIGITS
#define WORD LETTERS_WORD
#define TOKEN LETTERS_TOKEN
#define BASE64 LETTERS_BASE64
#define HEX DIGITS "abcdefABCDEF"
#define HASH WORD "$./+=-"

/* Sorted by their prefixes. Most are in the lists that gitleaks and GitHub publish. */
static const struct token_format formats[] = {
	{ "1//0", TOKEN, 40, 0 },		      /* Google OAuth refresh */
	{ "4b1d", WORD, 38, TOKEN_WHOLE },	      /* ClickHouse Cloud */
	{ "A3-", UPPER DIGITS "-", 30, TOKEN_WHOLE }, /* 1Password, secret key */
	{ "ABIA", UPPER DIGITS, 16, TOKEN_WHOLE },    /* AWS, STS */
	{ "ACCA", UPPER DIGITS, 16, TOKEN_WHOLE },    /* AWS, context */
	{ "AGE-SECRET-KEY-1", UPPER DIGITS, 40, 0 },  /* age */
	{ "AIza", TOKEN, 35, 0 },		      /* Google API */
	{ "AKCp", WORD, 69, TOKEN_WHOLE },	      /* Artifactory */
	{ "AKIA", UPPER DIGITS, 16, TOKEN_SCOPE },    /* AWS, IAM user */
	{ "APA91b", TOKEN, 100, 0 },		      /* Firebase Cloud Messaging */
	{ "API-", UPPER DIGITS, 26, TOKEN_WHOLE },    /* Octopus Deploy */
	{ "AQVN", TOKEN, 35, TOKEN_WHOLE },	      /* Yandex */
	{ "ASIA", UPPER DIGITS, 16, TOKEN_SCOPE },    /* AWS, temporary */
	{ "ATATT3", BASE64, 40, 0 },		      /* Atlassian */
	{ "ATBB", WORD, 32, TOKEN_WHOLE },	      /* Bitbucket, app password */
	{ "CFPAT-", TOKEN, 40, 0 },		      /* Contentful */
	{ "CLOJARS_", WORD, 60, 0 },		      /* Clojars */
	{ "EAAA", TOKEN, 60, TOKEN_WHOLE },	      /* Square */
	{ "EAAC", WORD, 100, TOKEN_LONG },	      /* Facebook */
	{ "EAACEdEose0cBA", TOKEN, 8, 0 },	      /* Facebook */
	{ "EAAM", WORD, 100, TOKEN_LONG },	      /* Facebook */
	{ "EZAK", WORD, 54, TOKEN_WHOLE },	      /* EasyPost */
	{ "EZTK", WORD, 54, TOKEN_WHOLE },	      /* EasyPost */
	{ "FLWSECK-", TOKEN, 12, 0 },		      /* Flutterwave */
	{ "FLWSECK_TEST-", TOKEN, 12, 0 },	      /* Flutterwave */
	{ "GOCSPX-", TOKEN, 20, 0 },		      /* Google OAuth client */
	{ "GR1348941", TOKEN, 20, 0 },		      /* GitLab, runner registration */
	{ "HRKU-AA", TOKEN, 58, 0 },		      /* Heroku */
	{ "LTAI", WORD, 20, TOKEN_WHOLE },	      /* Alibaba Cloud */
	{ "NRAK-", UPPER DIGITS, 24, 0 },	      /* New Relic, user */
	{ "NRII-", TOKEN, 30, 0 },		      /* New Relic, insert */
	{ "NRIQ-", TOKEN, 30, 0 },		      /* New Relic, query */
	{ "NRJS-", HEX, 19, 0 },		      /* New Relic, browser */
	{ "NRRA-", HEX, 40, 0 },		      /* New Relic, REST */
	{ "PMAK-", TOKEN, 40, 0 },		      /* Postman */
	{ "SCRAM-SHA-1$", HASH ":", 40, 0 },	      /* password hashes */
	{ "SCRAM-SHA-256$", HASH ":", 40, 0 },
	{ "SG.", WORD "_-.", 40, 0 },	    /* SendGrid */
	{ "SK", HEX, 32, TOKEN_WHOLE },	    /* Twilio */
	{ "SWMTKN-1-", TOKEN, 60, 0 },	    /* Docker Swarm */
	{ "ZXlK", BASE64, 40, TOKEN_LONG }, /* a JSON web token in base64 */
	{ "aio_", WORD, 28, TOKEN_WHOLE },  /* Adafruit IO */
	{ "api_org_", WORD, 34, 0 },	    /* Hugging Face, organisation */
	{ "bcrypt_sha256$", HASH, 30, 0 },
	{ "bkua_", WORD, 40, 0 },	    /* Buildkite */
	{ "cmVmd", WORD, 59, TOKEN_WHOLE }, /* Artifactory, reference */
	{ "dapi", HEX, 32, 0 },		    /* Databricks */
	{ "dckr_oat_", TOKEN, 20, 0 },	    /* Docker, organisation */
	{ "dckr_pat_", TOKEN, 20, 0 },	    /* Docker */
	{ "discord.com/api/webhooks/", WORD "/_-", 30, 0 },
	{ "dnkey-", TOKEN "=", 60, 0 }, /* Defined Networking */
	{ "doo_v1_", TOKEN, 40, 0 },	/* DigitalOcean */
	{ "dop_v1_", TOKEN, 40, 0 },
	{ "dor_v1_", TOKEN, 40, 0 },
	{ "dp.audit.", WORD, 40, 0 }, /* Doppler */
	{ "dp.ct.", WORD, 40, 0 },
	{ "dp.pt.", WORD, 40, 0 },
	{ "dp.scim.", WORD, 40, 0 },
	{ "dp.st.", WORD "._-", 40, 0 },
	{ "dt0c01.", WORD ".", 80, 0 }, /* Dynatrace */
	{ "dt0s01.", WORD ".", 80, 0 },
	{ "duffel_live_", TOKEN "=", 43, 0 }, /* Duffel */
	{ "duffel_test_", TOKEN "=", 43, 0 },
	{ "eyJrIjoi", BASE64, 70, 0 },	/* Grafana, API key */
	{ "fio-u-", TOKEN "=", 64, 0 }, /* Frame.io */
	{ "fm1a_", BASE64, 100, 0 },	/* Fly.io */
	{ "fm1r_", BASE64, 100, 0 },
	{ "fm2_", BASE64, 100, TOKEN_LONG },
	{ "fo1_", TOKEN, 43, TOKEN_LONG },
	{ "gho_", TOKEN, 30, 0 }, /* GitHub */
	{ "ghp_", TOKEN, 30, 0 },
	{ "ghr_", TOKEN, 30, 0 },
	{ "ghs_", TOKEN, 30, 0 },
	{ "ghu_", TOKEN, 30, 0 },
	{ "github_pat_", WORD "_", 30, 0 },
	{ "glagent-", TOKEN, 40, 0 },	     /* GitLab */
	{ "glc_", BASE64, 32, TOKEN_LONG },  /* Grafana Cloud */
	{ "glcbt-", TOKEN, 20, TOKEN_LONG }, /* GitLab */
	{ "gldt-", TOKEN, 20, TOKEN_LONG },
	{ "glffct-", TOKEN, 20, TOKEN_LONG },
	{ "glft-", TOKEN, 20, TOKEN_LONG },
	{ "glimt-", TOKEN, 20, TOKEN_LONG },
	{ "gloas-", TOKEN, 40, TOKEN_LONG },
	{ "glpat-", TOKEN ".", 20, 0 },
	{ "glptt-", TOKEN, 40, TOKEN_LONG },
	{ "glrt-", TOKEN ".", 20, TOKEN_LONG },
	{ "glrtr-", TOKEN ".", 20, TOKEN_LONG },
	{ "glsa_", TOKEN, 30, 0 },	      /* Grafana */
	{ "glsoat-", TOKEN, 20, TOKEN_LONG }, /* GitLab */
	{ "gsk_", TOKEN, 40, 0 },	      /* Groq */
	{ "hf_", TOKEN, 30, 0 },	      /* Hugging Face */
	{ "hooks.slack.com/services/", WORD "/", 20, 0 },
	{ "hooks.slack.com/triggers/", WORD "/", 20, 0 },
	{ "hooks.slack.com/workflows/", WORD "/", 20, 0 },
	{ "hvb.", TOKEN, 24, 0 }, /* Vault */
	{ "hvr.", TOKEN, 24, 0 },
	{ "hvs.", TOKEN, 24, 0 },
	{ "ico-", WORD, 32, TOKEN_WHOLE }, /* Infracost */
	{ "key-", HEX, 32, TOKEN_WHOLE },  /* Mailgun */
	{ "lin_api_", TOKEN, 30, 0 },	   /* Linear */
	{ "lin_oauth_", TOKEN, 30, 0 },
	{ "npm_", TOKEN, 36, 0 },
	{ "ntn_", WORD, 46, TOKEN_LONG },	/* Notion */
	{ "ops_eyJ", BASE64, 100, 0 },		/* 1Password, service account */
	{ "p8e-", WORD, 32, TOKEN_WHOLE },	/* Adobe */
	{ "pat", WORD ".", 79, TOKEN_WHOLE },	/* Airtable */
	{ "pat.", TOKEN ".", 68, TOKEN_WHOLE }, /* Harness */
	{ "pbkdf2:sha", HASH ":", 30, 0 },
	{ "pbkdf2_sha1$", HASH, 30, 0 },
	{ "pbkdf2_sha256$", HASH, 30, 0 },
	{ "pbkdf2_sha512$", HASH, 30, 0 },
	{ "pnu_", WORD, 36, TOKEN_WHOLE },	/* Prefect */
	{ "pplx-", WORD, 48, TOKEN_LONG },	/* Perplexity */
	{ "pscale_oauth_", TOKEN "=.", 30, 0 }, /* PlanetScale */
	{ "pscale_pw_", TOKEN "=.", 30, 0 },
	{ "pscale_tkn_", TOKEN "=.", 30, 0 },
	{ "pul-", HEX, 40, TOKEN_WHOLE }, /* Pulumi */
	{ "pypi-", TOKEN, 40, 0 },
	{ "rdme_", WORD, 70, TOKEN_LONG }, /* ReadMe */
	{ "rk_live_", TOKEN, 20, 0 },	   /* Stripe */
	{ "rk_prod_", TOKEN, 20, 0 },
	{ "rk_test_", TOKEN, 20, 0 },
	{ "rubygems_", TOKEN, 40, 0 },
	{ "s.", WORD, 24, TOKEN_WHOLE },	/* Vault, before 1.10 */
	{ "sat.", TOKEN ".", 68, TOKEN_WHOLE }, /* Harness */
	{ "scrypt:", HASH ":", 60, TOKEN_LONG },
	{ "secret_", WORD, 43, TOKEN_WHOLE }, /* Notion */
	{ "sgp_", TOKEN, 40, TOKEN_LONG },    /* Sourcegraph */
	{ "sha256~", TOKEN, 43, TOKEN_LONG }, /* OpenShift */
	{ "shippo_live_", HEX, 40, 0 },	      /* Shippo */
	{ "shippo_test_", HEX, 40, 0 },
	{ "shpat_", TOKEN, 30, 0 }, /* Shopify */
	{ "shpca_", TOKEN, 30, 0 },
	{ "shppa_", TOKEN, 30, 0 },
	{ "shpss_", TOKEN, 30, 0 },
	{ "sk-", TOKEN, 20, 0 }, /* OpenAI, Anthropic */
	{ "sk_live_", TOKEN, 20, 0 },
	{ "sk_prod_", TOKEN, 20, 0 },
	{ "sk_test_", TOKEN, 20, 0 },
	{ "sl.", TOKEN "=.", 130, TOKEN_LONG }, /* Dropbox */
	{ "sm_aat_", WORD, 16, TOKEN_WHOLE },	/* SettleMint */
	{ "sm_pat_", WORD, 16, TOKEN_WHOLE },
	{ "sm_sat_", WORD, 16, TOKEN_WHOLE },
	{ "sntrys_", BASE64, 60, 0 }, /* Sentry */
	{ "sntryu_", HEX, 64, 0 },
	{ "sq0atp-", TOKEN, 20, 0 }, /* Square */
	{ "sq0csp-", TOKEN, 30, 0 },
	{ "tfp_", TOKEN "=.", 40, TOKEN_LONG },	      /* Typeform */
	{ "tk-us-", TOKEN, 48, TOKEN_LONG },	      /* Scalingo */
	{ "v1.0-", HEX "-", 160, TOKEN_LONG },	      /* Cloudflare, origin CA */
	{ "webhook.office.com/", WORD "/@-", 40, 0 }, /* Teams */
	{ "whsec_", TOKEN, 20, 0 },
	{ "xapp-", TOKEN, 20, 0 },    /* Slack */
	{ "xkeysib-", TOKEN, 40, 0 }, /* Brevo */
	{ "xoxa-", TOKEN, 20, 0 },
	{ "xoxb-", TOKEN, 20, 0 },
	{ "xoxe-", TOKEN, 20, 0 },
	{ "xoxe.", WORD "-.", 20, 0 },
	{ "xoxo-", TOKEN, 20, 0 },
	{ "xoxp-", TOKEN, 20, 0 },
	{ "xoxr-", TOKEN, 20, 0 },
	{ "xoxs-", TOKEN, 20, 0 },
	{ "ya29.", TOKEN, 20, 0 }, /* Google OAuth access */
};

const struct token_format *token_formats(char first, size_t *ret_count)
{
	size_t begin = 0, end = ARRAY_SIZE(formats);

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;
		if (formats[middle].prefix[0] < first)
			begin = middle + 1;
		else
			end = middle;
	}
	while (end < ARRAY_SIZE(formats) && formats[end].prefix[0] == first)
		end++;
	*ret_count = end - begin;
	return formats + begin;
}
