/* SPDX-License-Identifier: Apache-2.0 */
#include "src/options/condition_option.h"

bool option_condition(const struct option_info *option, const char *argument, void *field,
		      struct err *err)
{
	(void)option;
	return condition_read(argument, field, err);
}
