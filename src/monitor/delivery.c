/* SPDX-License-Identifier: Apache-2.0 */
#include "src/monitor/delivery.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STATUS_BYTES = 16,
	WAIT_MAX = 64, /* seconds between attempts */
};

bool delivery_is_wanted(const struct delivery *d)
{
	return d->put || d->post;
}

static bool is_http(const char *url)
{
	return !url || strncmp(url, "http://", 7) == 0 ||
	       strncmp(url, "https://", 8) == 0;
}

/* As execvp() looks for it. */
static bool is_installed(const char *program)
{
	const char *at = getenv("PATH");

	for (at = at ? at : "/usr/bin:/bin"; *at; at += *at == ':') {
		const size_t len = strcspn(at, ":");
		AUTO(xfree) char *path = xasprintf("%.*s/%s", (int)len, at, program);
		if (len && access(path, X_OK) == 0)
			return true;
		at += len;
	}
	return false;
}

bool delivery_check(const struct delivery *d, struct err *err)
{
	if (d->put && d->post)
		return err_set(err, ERR_USAGE, "--put and --post exclude each other");
	if (!is_http(d->put) || !is_http(d->post))
		return err_set(err, ERR_USAGE,
			       "--put and --post require an address that begins with "
			       "http:// or https://");
	if (d->attempts == 0)
		return err_set(err, ERR_USAGE, "--attempts requires at least 1");
	if (delivery_is_wanted(d) && !is_installed("curl"))
		return err_set(err, ERR_NOT_FOUND,
			       "curl is not installed, by which documents are sent");
	return true;
}

/* A line of curl's configuration: curl(1), --config. */
static void add_line(FILE *f, const char *name, const char *value)
{
	static const char special[] = "\\\"\n\r\t\v", letters[] = "\\\"nrtv";

	fprintf(f, "%s = \"", name);
	for (; *value; value++) {
		const char *at = strchr(special, *value);
		if (at)
			fprintf(f, "\\%c", letters[at - special]);
		else
			fputc(*value, f);
	}
	fprintf(f, "\"\n");
}

static const char *encoding_of(const char *path)
{
	const size_t len = strlen(path);

	return len > 4 && strcmp(path + len - 4, ".zst") == 0 ? "Content-Encoding: zstd"
							      : NULL;
}

/* Owned. A server that redirects has not got it: only 2xx counts. */
static char *configuration(const struct delivery *d, const char *path)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		out_of_memory();
	fprintf(f, "silent\nshow-error\ngloboff\nproto = \"=http,https\"\n"
		   "connect-timeout = 30\nspeed-limit = 1\nspeed-time = 60\n");
	add_line(f, "url", d->put ? d->put : d->post);
	add_line(f, "request", d->put ? "PUT" : "POST");
	add_line(f, "upload-file", path);
	add_line(f, "output", "/dev/null");
	add_line(f, "write-out", "%{http_code}");
	add_line(f, "header", "Content-Type: application/json");
	/* Otherwise curl first waits for a second whether the server wants it. */
	add_line(f, "header", "Expect:");
	if (encoding_of(path))
		add_line(f, "header", encoding_of(path));
	for (size_t i = 0; i < d->header_count; i++)
		add_line(f, "header", d->headers[i]);
	if (fclose(f) != 0)
		out_of_memory();
	return text;
}

static void become_curl(int in, int out)
{
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	signal(SIGPIPE, SIG_DFL);
	execlp("curl", "curl", "--disable", "--config", "-", NULL);
	_exit(127);
}

/* What curl prints: the status of the answer. */
static size_t read_status(int from, char ret[static STATUS_BYTES])
{
	size_t len = 0;
	ssize_t n;

	while (len < STATUS_BYTES - 1 &&
	       ((n = read(from, ret + len, STATUS_BYTES - 1 - len)) > 0 ||
		(n < 0 && errno == EINTR)))
		len += n > 0 ? (size_t)n : 0;
	ret[len] = '\0';
	return len;
}

static bool attempt(const char *config, struct err *err)
{
	char status[STATUS_BYTES];
	int in[2], out[2], ended;

	if (pipe2(in, O_CLOEXEC) != 0)
		return err_sys(err, "pipe");
	if (pipe2(out, O_CLOEXEC) != 0) {
		err_sys(err, "pipe");
		close(in[0]);
		close(in[1]);
		return false;
	}
	pid_t pid = fork();
	if (pid == 0)
		become_curl(in[0], out[1]);
	close(in[0]);
	close(out[1]);
	/* If curl does not read all of it, its exit says why. */
	const bool written = pid > 0 && write_fully(in[1], config, strlen(config));
	close(in[1]);
	const size_t len = read_status(out[0], status);
	close(out[0]);
	if (pid < 0)
		return err_sys(err, "fork");
	while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
		;
	if (ended != 0 || !written)
		return err_set(err, ERR_SYS, "curl ended with status %d",
			       WIFEXITED(ended) ? WEXITSTATUS(ended) : -1);
	if (len != 3 || status[0] != '2')
		return err_set(err, ERR_SYS, "the server answered %s", status);
	return true;
}

bool deliver(const struct delivery *d, const char *path, struct err *err)
{
	AUTO(xfree) char *config = configuration(d, path);
	unsigned wait = 1;

	for (uint32_t i = 0; i < d->attempts; i++) {
		if (i > 0) {
			sleep(wait);
			wait = wait < WAIT_MAX ? wait * 2 : WAIT_MAX;
		}
		if (attempt(config, err)) {
			unlink(path);
			return true;
		}
	}
	return err_prefix(err, "%s could not be sent", path);
}
