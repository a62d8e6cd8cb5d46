/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/runtime/stack_reader.h"

const uint8_t *stack_reader_bytes(struct stack_reader *w, uint64_t addr, size_t len,
				  struct err *err)
{
	if (addr < w->low || addr > w->high || len > w->high - addr) {
		err_set(err, ERR_BAD_DATA, "0x%lx is outside the stack", addr);
		return NULL;
	}
	if (addr < w->addr || addr - w->addr > w->len ||
	    len > w->len - (addr - w->addr)) {
		uint64_t rest = w->high - addr;
		w->addr = addr;
		w->len = rest < WINDOW_BYTES ? (size_t)rest : WINDOW_BYTES;
		if (!target_search(w->target, addr, w->piece, w->len, err)) {
			w->len = len; /* the far end may be unreadable */
			if (!target_search(w->target, addr, w->piece, len, err)) {
				w->len = 0;
				return NULL;
			}
		}
	}
	return w->piece + (addr - w->addr);
}
