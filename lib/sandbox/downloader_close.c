/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/sandbox/filter_rules.h"
#include "lib/sandbox/sandbox_priv.h"

/* What it reads besides its own folder. No folder with keys, nor one that anybody writes to. */
static const char *const readable[] = {
	/* libraries, and what they look for */
	"/lib",
	"/lib64",
	"/usr/lib",
	"/usr/lib64",
	"/usr/local/lib",
	"/etc/ld.so.cache",
	/* name resolution */
	"/etc/resolv.conf",
	"/etc/hosts",
	"/etc/host.conf",
	"/etc/nsswitch.conf",
	"/etc/gai.conf",
	"/etc/services",
	"/run/systemd/resolve",
	/* certificates of authorities */
	"/etc/ssl/certs",
	"/etc/ssl/cert.pem",
	"/etc/ssl/openssl.cnf",
	"/etc/pki/tls/certs",
	"/etc/pki/tls/cert.pem",
	"/etc/pki/ca-trust/extracted",
	"/etc/ca-certificates",
	"/etc/gnutls",
	"/etc/crypto-policies",
	"/usr/share/ca-certificates",
	"/usr/local/share/ca-certificates",
	"/etc/debuginfod",
	/* time zones and texts */
	"/usr/share/zoneinfo",
	"/etc/localtime",
	"/usr/share/locale",
	/* the machine */
	"/dev/urandom",
	"/dev/null",
	"/proc/sys/crypto",
	"/sys/devices/system/cpu",
};

/* Likewise, named by the environment. */
static const char *const readable_variables[] = { "SSL_CERT_FILE", "SSL_CERT_DIR" };

/* Of Linux 6.2 and later; <linux/landlock.h> may be older than the kernel. */
#define ACCESS_TRUNCATE (UINT64_C(1) << 14)

static const uint64_t access_read =
			      LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
		      access_files = LANDLOCK_ACCESS_FS_READ_FILE |
				     LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE,
		      access_write = access_read | LANDLOCK_ACCESS_FS_WRITE_FILE |
				     LANDLOCK_ACCESS_FS_REMOVE_DIR |
				     LANDLOCK_ACCESS_FS_REMOVE_FILE |
				     LANDLOCK_ACCESS_FS_MAKE_DIR |
				     LANDLOCK_ACCESS_FS_MAKE_REG | ACCESS_TRUNCATE;

/* What is not there cannot be read. */
static bool permit(const struct ruleset *set, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = access & set->files,
		.parent_fd = open(path, O_PATH | O_CLOEXEC),
	};
	struct stat st;

	if (rule.parent_fd < 0)
		return false;
	if (fstat(rule.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.allowed_access &= access_files;
	bool done = syscall(SYS_landlock_add_rule, set->fd, LANDLOCK_RULE_PATH_BENEATH,
			    &rule, 0) == 0;
	int why = errno;
	close(rule.parent_fd);
	errno = why;
	return done;
}

/* The library knows servers that are folders. */
static void permit_servers(const struct ruleset *set)
{
	static const char prefix[] = "file://";
	const char *urls = getenv("DEBUGINFOD_URLS");
	AUTO(xfree) char *copy = xstrdup(urls ? urls : "");
	char *rest = copy, *url;

	while ((url = strsep(&rest, " \t\n")))
		if (strncmp(url, prefix, sizeof(prefix) - 1) == 0)
			(void)!permit(set, url + sizeof(prefix) - 1, access_read);
}

static void permit_readable(const struct ruleset *set)
{
	for (size_t i = 0; i < ARRAY_SIZE(readable); i++)
		(void)!permit(set, readable[i], access_read);
	for (size_t i = 0; i < ARRAY_SIZE(readable_variables); i++) {
		const char *path = getenv(readable_variables[i]);
		if (path)
			(void)!permit(set, path, access_read);
	}
	permit_servers(set);
}

static bool is_on(const char *layer)
{
	return has_layer("GOSNAP_DOWNLOADER_WITHOUT", layer);
}

/* Without Landlock a user has the rights that he has; root would have those of root. */
static bool close_files(const char *folder, struct err *err)
{
	struct ruleset set;

	if (!is_on(LAYER_LANDLOCK))
		return true;
	if (!ruleset_new(true, &set, err))
		return false;
	if (set.fd < 0)
		return geteuid() != 0 ||
		       err_set(err, ERR_CANNOT,
			       "this kernel has no Landlock, so root downloads nothing "
			       "(--no-sandbox does without)");
	if (!permit(&set, folder, access_write)) {
		err_sys(err, "%.100s", folder);
		close(set.fd);
		return false;
	}
	permit_readable(&set);
	return ruleset_restrict(&set, err);
}

static const struct filter_rule rules[] = {
#include "lib/sandbox/downloads.def"
};

static bool filter_calls(struct err *err)
{
	static const struct filter_table table = { rules, ARRAY_SIZE(rules),
						   SECCOMP_RET_ERRNO | EPERM };
	struct sock_fprog program;
	const struct filter_user user = { .self = getpid() };
	AUTO(xfree)
	struct sock_filter *code = filter_program_new(&table, &user, &program.len);

	program.filter = code;
	return !is_on(LAYER_FILTER) ||
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ||
	       err_sys(err, "seccomp");
}

static void lower(int resource, uint64_t soft, uint64_t hard)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0)
		return;
	limit.rlim_max = limit.rlim_max < hard ? limit.rlim_max : hard;
	limit.rlim_cur = limit.rlim_cur < soft ? limit.rlim_cur : soft;
	setrlimit(resource, &limit);
}

static void limit_resources(void)
{
	const uint64_t memory = switched("GOSNAP_SANDBOX_MEMORY", LIMIT_DOWNLOADER_BYTES),
		       seconds = switched("GOSNAP_SANDBOX_CPU", LIMIT_DOWNLOADER_CPU_S);

	if (!is_on(LAYER_LIMITS))
		return;
	lower(RLIMIT_DATA, memory, memory);
	/* First a signal that says why. */
	lower(RLIMIT_CPU, seconds, seconds + 1);
	lower(RLIMIT_FSIZE, LIMIT_DOWNLOAD_BYTES, LIMIT_DOWNLOAD_BYTES);
	lower(RLIMIT_CORE, 0, 0);
	signal(SIGXFSZ, SIG_IGN); /* an error of write() instead */
}

/* Nothing of the document, nor of what the user types. */
static bool leave_streams(struct err *err)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	return (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
		dup2(nothing, STDOUT_FILENO) >= 0) ||
	       err_sys(err, "/dev/null");
}

bool downloader_close(const char *folder, int channel, struct err *err)
{
	static const struct sandbox nothing = { .keep_count = 0 };

	prctl(PR_SET_NAME, "gosnap-download");
	if (!leave_streams(err))
		return false;
	limit_resources();
	sandbox_close_others(&nothing, channel);
	prctl(PR_SET_DUMPABLE, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(err, "no_new_privs");
	return close_files(folder, err) &&
	       (!is_on(LAYER_CAPABILITIES) || sandbox_drop_capabilities(err)) &&
	       filter_calls(err);
}
