/* SPDX-License-Identifier: Apache-2.0 */
/* peer.h - a crash that the kernel reports by connecting to a socket: what core_pattern would tell in
 * words is found out from the socket, /proc and the notes of the core. */
#ifndef GOSNAP_PEER_H
#define GOSNAP_PEER_H

#include "src/handler/crash.h"
#include "src/handler/hand_on.h"

/* Asks for the core, with the process waiting until the connection is closed ("@@"), or takes what comes
 * ("@"), and reads its head. Strings and the head live as long as this process. */
MUST_CHECK bool peer_read(int connection, struct crash *ret,
			  struct core_source *ret_source, struct err *err);

#endif
