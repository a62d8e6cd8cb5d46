/* SPDX-License-Identifier: Apache-2.0 */
/* capture_priv.h - what the files of capture.h share. Private to src/capture. */
#ifndef GOSNAP_CAPTURE_PRIV_H
#define GOSNAP_CAPTURE_PRIV_H

#include "src/capture/capture.h"

/* Descriptors needed at once, before and after the process is touched; files of its images, which
 * are optional, come on top. */
enum { FILES_BEFORE = 12, FILES_AFTER = 32 };

/* Why the document is incomplete; the first reason stays. Applies to everything that was read. */
void capture_note_partial(struct capture *c, const char *why);

/* capture_plan.c: chooses the method. False: err says why none is possible. */
MUST_CHECK bool capture_plan(struct capture *c, struct err *err);
/* After a method failed with this err: another one, or false. */
MUST_CHECK bool capture_plan_again(struct capture *c, struct err *err);
/* Whoever wants a copy only gets what there is of it. */
bool capture_can_do_without_copy(const struct capture *c);
/* Forgets all that was read from a copy that ended too early. Returns false, with err
 * set for capture_plan_again(). */
bool capture_give_up_copy(struct capture *c, const char *why, struct err *err);
/* With what a rehearsal has counted. A copy may take less time, after all. */
void capture_plan_anew(struct capture *c);

#endif
