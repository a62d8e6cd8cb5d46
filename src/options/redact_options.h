/* SPDX-License-Identifier: Apache-2.0 */
/* redact_options.h - redaction options shared by all commands that read values. */
#ifndef GOSNAP_REDACT_OPTIONS_H
#define GOSNAP_REDACT_OPTIONS_H

#include "src/options/options.h"

extern const struct option_info redact_options[]; /* of struct redaction_options */

#endif
