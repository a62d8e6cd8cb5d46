/* SPDX-License-Identifier: Apache-2.0 */
#include "src/watch/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/utf8.h"
#include "lib/document/sink.h"

enum { SENTENCE_BYTES = 1024, NS_PER_MS = 1000000 };

/* Is it the journal that reads this? systemd.exec(5), JOURNAL_STREAM. */
static bool is_journal(int fd)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       fstat(fd, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

struct watch_log watch_log_open(enum watch_log_format format, bool quiet)
{
	return (struct watch_log){ .fd = STDERR_FILENO,
				   .format = format,
				   .quiet = quiet,
				   .no_times = format == WATCH_LOG_TEXT &&
					       is_journal(STDERR_FILENO) };
}

static void put_time(FILE *out)
{
	const uint64_t now = realtime_ns();
	const time_t seconds = (time_t)(now / 1000 / NS_PER_MS);
	char text[32];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	fprintf(out, "%s.%03uZ", text, (unsigned)(now / NS_PER_MS % 1000));
}

static void put_readable(FILE *out, const char *text)
{
	utf8_print_harmless(out, text, strlen(text));
}

static void put_text(FILE *out, const struct watch_log *log,
		     const struct watch_line *line, const char *sentence)
{
	if (!log->no_times) {
		put_time(out);
		putc(' ', out);
	}
	fputs("gosnap watch: ", out);
	if (line->program)
		put_readable(out, line->program);
	if (line->pid)
		fprintf(out, "%s%d%s", line->program ? " (" : "", (int)line->pid,
			line->program ? ")" : "");
	if (line->program || line->pid)
		fputs(": ", out);
	put_readable(out, sentence);
}

static void put_json(FILE *out, const struct watch_line *line, const char *sentence)
{
	AUTO(sink_free) struct sink *members = sink_members_new();

	sink_name(members, "time");
	sink_time(members, realtime_ns());
	sink_named_string(members, "event", line->event);
	sink_named_string(members, "message", sentence);
	if (line->pid)
		sink_named_int(members, "pid", line->pid);
	sink_named_string(members, "program", line->program);
	for (size_t i = 0; i < line->field_count; i++) {
		const struct watch_field *field = &line->fields[i];
		if (field->kind == WATCH_FIELD_NUMBER)
			sink_named_uint(members, field->name, field->number);
		else
			sink_named_string(members, field->name, field->text);
	}
	putc('{', out);
	fwrite(sink_part_text(members), 1, sink_part_bytes(members), out);
	putc('}', out);
}

static void put(const struct watch_log *log, const struct watch_line *line,
		const char *said)
{
	char *text = NULL;
	size_t len = 0;

	if (log->quiet)
		return;
	FILE *out = open_memstream(&text, &len);
	if (!out)
		out_of_memory();
	if (log->format == WATCH_LOG_JSON)
		put_json(out, line, said);
	else
		put_text(out, log, line, said);
	putc('\n', out);
	if (fclose(out))
		out_of_memory();
	if (!write_fully(log->fd, text, len))
		len = 0; /* nobody reads it: watching goes on */
	free(text);
}

void watch_log(const struct watch_log *log, const struct watch_line *line,
	       const char *sentence, ...)
{
	char said[SENTENCE_BYTES];
	va_list ap;

	va_start(ap, sentence);
	vsnprintf(said, sizeof(said), sentence, ap);
	va_end(ap);
	put(log, line, said);
}

void watch_say(const struct watch_log *log, const char *event, pid_t pid,
	       const char *sentence, ...)
{
	const struct watch_line line = { .event = event, .pid = pid };
	char said[SENTENCE_BYTES];
	va_list ap;

	va_start(ap, sentence);
	vsnprintf(said, sizeof(said), sentence, ap);
	va_end(ap);
	put(log, &line, said);
}
