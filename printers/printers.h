/* SPDX-License-Identifier: Apache-2.0 */
/* printers.h - turns the results of the layers below into sink calls: one file for
 * each noun of the document, named as in gosnap-snapshot(5). The only header of this
 * folder for code outside it. Printers do not read from the process and cannot fail.
 * They know the fields of the document, not its file, and keep nothing longer than a
 * goroutine but what holds for a whole type. */
#ifndef GOSNAP_PRINTERS_H
#define GOSNAP_PRINTERS_H

#include "printers/document/print_document.h"
#include "printers/document/value_path.h"
#include "printers/goroutine/print_call.h"
#include "printers/goroutine/print_goroutine.h"
#include "printers/rules/rules.h"
#include "printers/values/objects.h"
#include "printers/values/print_values.h"

#endif
