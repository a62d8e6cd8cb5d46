/* SPDX-License-Identifier: Apache-2.0 */
/* mend.h - closes a document whose writer died, so that it is valid as far as it goes: behind the last
 * whole element, with an "end" that has nothing but why it is incomplete. The text is hostile; see
 * cut.h. */
#ifndef GOSNAP_MEND_H
#define GOSNAP_MEND_H

#include "lib/base/err.h"
#include "lib/document/remains.h"

struct broken {
	int fd;		 /* at its end, if it can be written only */
	uint64_t start;	 /* of the document in the file */
	bool whole_file; /* it can be read, and cut */
	bool counted;	 /* the offset of fd says how much was written */
	bool zstd;
	const struct remains *remains;
};

/* ERR_SYS: it cannot be mended, and err says why. ERR_NOT_FOUND: nothing was written that can be kept. */
MUST_CHECK bool mend(const struct broken *broken, const char *why, struct err *err);

#endif
