/* SPDX-License-Identifier: Apache-2.0 */
/* readiness.h - what would happen to a crash now, and what is missing for a snapshot of it. */
#ifndef GOSNAP_READINESS_H
#define GOSNAP_READINESS_H

struct doctor;

/* Adds findings: of the process that was examined, or of the machine. */
void readiness_examine(struct doctor *d);

#endif
