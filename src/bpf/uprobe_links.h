/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* uprobe_links.h - probes that are attached; until they are closed, or we end. */
#ifndef GOSNAP_BPF_UPROBE_LINKS_H
#define GOSNAP_BPF_UPROBE_LINKS_H

#include "lib/base/util.h"

struct uprobe_links;

void uprobe_links_close(struct uprobe_links *links);
DEFINE_AUTO(struct uprobe_links, uprobe_links_close)

#endif
