/* SPDX-License-Identifier: Apache-2.0 */
/* loop_bodies.h - the body of a range-over-func loop is a function of its own (from Go
 * 1.23 on), which the iterator function calls. Private to goruntime. */
#ifndef GOSNAP_LOOP_BODIES_H
#define GOSNAP_LOOP_BODIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool is_loop_body(const char *function);
/* functions: of the frames of a stack, innermost first; NULL: no name. ret: for each loop
 * body, how many frames further out the function it is written in is called; 0: not
 * found, or not a loop body. */
void loop_bodies_join(const char *const *functions, size_t n, uint32_t *ret);

#endif
