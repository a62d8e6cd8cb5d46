/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "lib/document/reader.h"
#include "src/causes/cause.h"

enum { REVISION_SHOWN = 12 /* digits */, COLUMNS_KEPT = 200 };

static void set(char **field, const char *text)
{
	if (!text || !*text)
		return;
	xfree(*field);
	*field = text_shortened(text, COLUMNS_KEPT);
}

static const char *setting(const struct reader_node *go, const char *key)
{
	const struct reader_node *all = node_get(go, "settings");

	for (size_t i = 0; i < node_count(all); i++) {
		const struct reader_node *one = node_at(all, i);
		if (strcmp(text_of(node_get(one, "key"), ""), key) == 0)
			return text_of(node_get(one, "value"), NULL);
	}
	return NULL;
}

/* What is built outside a version is "(devel)", whatever it is. */
static void set_version(struct identity *identity, const struct reader_node *go)
{
	const char *version = text_of(node_get(go, "module_version"), NULL),
		   *revision = setting(go, "vcs.revision"),
		   *modified = setting(go, "vcs.modified");

	if (version && strcmp(version, "(devel)") != 0) {
		set(&identity->version, version);
	} else if (revision) {
		AUTO(xfree)
		char *text = xasprintf(
			"%.*s%s", REVISION_SHOWN, revision,
			modified && strcmp(modified, "true") == 0 ? "+dirty" : "");
		set(&identity->version, text);
	}
}

static void add_go(struct identity *identity, const struct reader_node *go)
{
	const char *module = text_of(node_get(go, "module"), NULL);

	set(&identity->go, text_of(node_get(go, "version"), NULL));
	set_version(identity, go);
	/* Of files that were named on the command line. */
	if (module && strcmp(module, "command-line-arguments") != 0)
		set(&identity->program, module);
}

void identity_add(struct identity *identity, const char *member,
		  const struct reader_node *node)
{
	const char *executable, *slash;

	if (strcmp(member, "snapshot") == 0)
		set(&identity->taken_at, text_of(node_get(node, "taken_at"), NULL));
	if (strcmp(member, "go") == 0)
		add_go(identity, node);
	if (strcmp(member, "process") != 0)
		return;
	executable = text_of(node_get(node, "exe"), "");
	slash = strrchr(executable, '/');
	set(&identity->program, slash ? slash + 1 : executable);
}

void identity_done(struct identity *identity)
{
	xfree(identity->program);
	xfree(identity->version);
	xfree(identity->go);
	xfree(identity->taken_at);
}
