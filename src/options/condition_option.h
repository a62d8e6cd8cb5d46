/* SPDX-License-Identifier: Apache-2.0 */
/* condition_option.h - --when, of a struct condition. */
#ifndef GOSNAP_CONDITION_OPTION_H
#define GOSNAP_CONDITION_OPTION_H

#include "src/options/options.h"
#include "src/record/condition.h"

option_reader option_condition;

#endif
