/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/documents/documents.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/document/reader.h"
#include "lib/sandbox/broker.h"
#include "src/options/options.h"
#include "src/viewer/serve/folder.h"
#include "src/viewer/serve/reader_process.h"
#include "src/viewer/serve/serve.h"

enum { FORWARDED_PORT = 8080 };

struct serve_arguments {
	uint32_t port;
	const char *socket;
	uint64_t idle_ns;
	bool no_sandbox;
};

static const struct option_info serve_options[] = {
	{ 'p', "port", "PORT", "listen at PORT (default: any that is free)",
	  OPTION_NUMBER(struct serve_arguments, port) },
	{ 0, "socket", "PATH", "listen at a Unix socket, which ssh forwards",
	  OPTION_STRING(struct serve_arguments, socket) },
	{ 0, "timeout", "TIME", "end when nothing was asked for so long",
	  OPTION_TIME(struct serve_arguments, idle_ns) },
	{ .name = NULL }
};

const struct command command_serve = {
	.name = "gosnap serve",
	.run = cmd_serve,
	.arguments = "FILE|DIR",
	.summary = "show a snapshot, or a folder of them, in a browser",
	.options = {
		{ serve_options, 0 },
		{ sandbox_options, offsetof(struct serve_arguments, no_sandbox) },
	},
};

struct serving {
	struct http_server server;
	int fd; /* -1: it is a folder */
	const char *name;
	struct folder folder;
	char *path; /* of it */
	struct reader_host *host;
};

/* A line that a person clicks, and a script reads. */
static bool print_address(const struct http_server *server, struct err *err)
{
	AUTO(xfree) char *address = serve_address(server);

	return (puts(address) >= 0 && fflush(stdout) == 0) ||
	       err_sys(err, "cannot write to standard output");
}

static int serve_all(void *arg)
{
	struct serving *s = arg;
	struct err err;

	return print_address(&s->server, &err) && serve_folder(&s->server, s->host,
							       &s->folder, s->path, &err)
		       ? EXIT_DONE
		       : cmd_failed(&err);
}

static int serve_one(void *arg)
{
	struct serving *s = arg;
	const struct serve_document document = { .fd = s->fd,
						 .name = s->name,
						 .begin = print_address,
						 .say_damage = cmd_say };
	struct err err;

	return serve_document(&s->server, s->host, &document, &err) ? EXIT_DONE
								    : cmd_failed(&err);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool open_named(struct serving *s, const char *path, struct err *err)
{
	s->name = path;
	if (is_folder(path)) {
		s->path = xrealpath(path);
		return folder_open(&s->folder, path, err);
	}
	s->fd = reader_find(path, &s->name, err);
	return s->fd >= 0;
}

static int serve_in_sandbox(struct serving *s, bool no_sandbox)
{
	AUTO(reader_host_free) struct reader_host *host = reader_host_new(no_sandbox);
	const bool one = s->fd >= 0;
	struct sandbox sandbox = { .keep = { one ? s->fd : s->folder.fd, s->server.fd },
				   .keep_count = 2,
				   .server = true };

	s->host = host;
	sandbox_add_services(&sandbox, reader_host_services(host));
	if (!one)
		sandbox_add_services(&sandbox, folder_service(&s->folder));
	return run_in_sandbox(no_sandbox, &sandbox, one ? serve_one : serve_all, s);
}

int cmd_serve(int argc, char **argv)
{
	struct serve_arguments arguments = { .port = 0 };
	struct serving serving = { .fd = -1 };
	struct err err;
	int status;

	if (!options_read(&command_serve, argc, argv, &arguments, &status))
		return status;
	if (optind == argc)
		return cmd_misused(&command_serve,
				   "missing file or folder (or - for standard input)");
	if (argc - optind > 1)
		return cmd_misused(&command_serve,
				   "too many arguments: give a single file or folder");
	if (arguments.port > UINT16_MAX)
		return cmd_misused(&command_serve, "--port: there are 65535");
	serving.server.path = arguments.socket;
	serving.server.port =
		(uint16_t)(arguments.socket && !arguments.port ? FORWARDED_PORT
							       : arguments.port);
	serving.server.idle_ns = arguments.idle_ns;
	if (!open_named(&serving, argv[optind], &err) ||
	    !http_listen(&serving.server, &err))
		return cmd_failed(&err);
	status = serve_in_sandbox(&serving, arguments.no_sandbox);
	http_remove_socket(&serving.server);
	xfree(serving.path);
	return status;
}
