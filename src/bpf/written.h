/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* written.h - tells when a file that has probes is written to, as by cp(1) over a program that is not running.
 * Probes stay where they were, which is in the middle of other instructions then: the next process that
 * runs the file would not do what it says. So they have to go at once. */
#ifndef GOSNAP_BPF_WRITTEN_H
#define GOSNAP_BPF_WRITTEN_H

/* Returns a descriptor, readable when there is something to tell. -1: there cannot be one, which the
 * following take, too. */
int written_open(void);
/* Returns a number for the file with this descriptor, which is told once. -1: it cannot be told. */
int written_add(int written, int file);
/* No longer. */
void written_remove(int written, int number);
/* The number of a file that was written to. -1: there is none. */
int written_next(int written);

#endif
