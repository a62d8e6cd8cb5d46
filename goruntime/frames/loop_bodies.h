/* SPDX-License-Identifier: Apache-2.0 */
/* loop_bodies.h - the body of a loop over a function is a function itself, from Go 1.23 on, which
 * the other one calls. Private to goruntime. */
#ifndef GOSNAP_LOOP_BODIES_H
#define GOSNAP_LOOP_BODIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool is_loop_body(const char *function);
/* functions: of the frames of a stack, innermost first; NULL: it has no name. ret: for each body how
 * many frames further out the next call is of the function that it is written in; 0: there is none,
 * or it is no body. */
void loop_bodies_join(const char *const *functions, size_t n, uint32_t *ret);

#endif
