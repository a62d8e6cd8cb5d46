/* SPDX-License-Identifier: Apache-2.0 */
/* documents.h - the commands that only read documents. They know what users write; what is made of a
 * document is known in src/viewer. */
#ifndef GOSNAP_COMMANDS_DOCUMENTS_H
#define GOSNAP_COMMANDS_DOCUMENTS_H

#include "src/options/command.h"

extern const struct command command_group, command_html, command_json, command_serve,
	command_show, command_view;

/* Declared here since the tables precede the definitions. */
int cmd_group(int argc, char **argv);
int cmd_html(int argc, char **argv);
int cmd_json(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_view(int argc, char **argv);

#endif
