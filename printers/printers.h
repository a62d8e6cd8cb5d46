/* SPDX-License-Identifier: Apache-2.0 */
/* printers.h - from what the layers below found to sink calls: one file for each noun of
 * the document, named as in gosnap-snapshot(5). The only header of this folder for those
 * outside. Printers read nothing from the process and cannot fail. */
#ifndef GOSNAP_PRINTERS_H
#define GOSNAP_PRINTERS_H

#include "print_document.h"
#include "print_goroutine.h"
#include "print_values.h"
#include "rules.h"

#endif
