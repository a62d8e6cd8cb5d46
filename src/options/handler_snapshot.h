/* SPDX-License-Identifier: Apache-2.0 */
/* handler_snapshot.h - the snapshot of a crash, with the options that all snapshots have by default. */
#ifndef GOSNAP_HANDLER_SNAPSHOT_H
#define GOSNAP_HANDLER_SNAPSHOT_H

#include "src/handler/handler.h"

handler_snapshot_fn handler_snapshot; /* arg: struct crash */

#endif
