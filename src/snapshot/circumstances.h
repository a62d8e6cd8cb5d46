/* SPDX-License-Identifier: Apache-2.0 */
/* circumstances.h - the document's member "snapshot": when, where, how and with which options it was
 * taken. */
#ifndef GOSNAP_CIRCUMSTANCES_H
#define GOSNAP_CIRCUMSTANCES_H

#include "src/capture/capture.h"
#include "src/snapshot/snap.h"

void circumstances_print(struct sink *out, const struct snap_options *options,
			 const struct capture *c);

#endif
