/* SPDX-License-Identifier: Apache-2.0 */
/* install_units.h - systemd's units for the socket. */
#ifndef GOSNAP_INSTALL_UNITS_H
#define GOSNAP_INSTALL_UNITS_H

#include "src/install/install.h"

/* ERR_CANNOT: neither can this kernel connect to a socket, or nobody would listen. */
MUST_CHECK bool install_can_listen(struct err *err);
MUST_CHECK bool install_units(const char *program, bool dry_run, install_say_fn *say,
			      struct err *err);
MUST_CHECK bool uninstall_units(bool dry_run, install_say_fn *say, struct err *err);

#endif
