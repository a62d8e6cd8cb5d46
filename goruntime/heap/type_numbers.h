/* SPDX-License-Identifier: Apache-2.0 */
/* type_numbers.h - the number of the type of each object, in a byte: the objects of a span have few types. Private
 * to goruntime/heap. */
#ifndef GOSNAP_TYPE_NUMBERS_H
#define GOSNAP_TYPE_NUMBERS_H

#include "goruntime/heap/heap_priv.h"

struct type_numbers;

struct type_numbers *type_numbers_new(const struct heap *h);
void type_numbers_free(struct type_numbers *numbers);
/* Of an object of that span, by its number among all; 0: none was set. */
uint16_t type_number(const struct heap *h, const struct type_numbers *numbers,
		     const struct span *s, uint64_t object);
/* number: not 0. False: objects of this span have had 255 others. */
bool type_number_set(const struct heap *h, struct type_numbers *numbers,
		     const struct span *s, uint64_t object, uint16_t number);

#endif
