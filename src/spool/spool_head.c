/* SPDX-License-Identifier: Apache-2.0 */
#include "src/spool/spool_head.h"

#include <string.h>

#include "lib/document/reader.h"

static char *copy(const struct reader_node *node, const char *key)
{
	const char *text = node_string(node_get(node, key), NULL);

	return text ? xstrdup(text) : NULL;
}

static bool take(void *arg, const char *member, size_t index,
		 const struct reader_node *node)
{
	struct spool_head *head = arg;
	(void)index;

	if (strcmp(member, "snapshot") == 0) {
		head->taken_at = copy(node, "taken_at");
		head->source = copy(node, "source");
	} else if (strcmp(member, "trigger") == 0) {
		head->signal = copy(node, "signal");
	} else if (strcmp(member, "process") == 0) {
		head->executable = copy(node, "exe");
	} else if (strcmp(member, "go") == 0) {
		head->go = copy(node, "version");
	} else if (strcmp(member, "fault") == 0) {
		head->verdict = copy(node, "verdict");
	}
	/* Nothing of this comes later. */
	return strcmp(member, "fault") != 0 && strcmp(member, "groups") != 0;
}

bool spool_head_read(int fd, struct spool_head *ret, struct err *err)
{
	*ret = (struct spool_head){ 0 };
	AUTO(reader_close) struct reader *reader = reader_open_fd(fd, "it", err);

	if (reader && reader_each(reader, take, ret, err))
		return true;
	spool_head_done(ret);
	return false;
}

void spool_head_done(struct spool_head *head)
{
	xfree(head->taken_at);
	xfree(head->source);
	xfree(head->executable);
	xfree(head->go);
	xfree(head->signal);
	xfree(head->verdict);
	*head = (struct spool_head){ 0 };
}
