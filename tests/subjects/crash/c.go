// SPDX-License-Identifier: Apache-2.0

//go:build cgo
// +build cgo

package main

/*
#cgo CFLAGS: -O1 -g -fno-omit-frame-pointer
#cgo LDFLAGS: -lpthread
#include <pthread.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>

extern void calledBack(void);

__attribute__((noinline)) static void write_to(volatile int *p) { *p = 1; }
__attribute__((noinline)) static void segv(void) { write_to((int *)16); }
__attribute__((noinline)) static void call_it(void (*volatile f)(void)) { f(); f = NULL; }
static void call_null(void) { call_it(NULL); }
__attribute__((noinline)) static void give_up(void) { abort(); }
__attribute__((noinline)) static void call_back(void) { calledBack(); }

__attribute__((noinline)) static int deep(volatile char *from, int n)
{
	volatile char room[4096];
	memset((char *)room, from[0], sizeof(room));
	return deep(room, n + 1) + room[n % 7];
}
static void overflow(void) { char c = 1; deep(&c, 0); }

static void *foreign_segv(void *arg) { (void)arg; segv(); return NULL; }
static void *foreign_abort(void *arg) { (void)arg; give_up(); return NULL; }

static void on_thread(void *(*fn)(void *))
{
	pthread_t t;
	pthread_create(&t, NULL, fn, NULL);
	pthread_join(t, NULL);
}
static void foreign_segv_run(void) { on_thread(foreign_segv); }
static void foreign_abort_run(void) { on_thread(foreign_abort); }
*/
import "C"

//export calledBack
func calledBack() {
	throwOut("in a callback")
}

func init() {
	ways["c-segv"] = func() { dying(0, "", ""); C.segv() }
	ways["c-null"] = func() { dying(0, "", ""); C.call_null() }
	ways["c-abort"] = func() { dying(0, "", ""); C.give_up() }
	ways["c-overflow"] = func() { dying(0, "", ""); C.overflow() }
	ways["c-callback"] = func() { C.call_back() }
	ways["foreign-segv"] = func() { dying(0, "", ""); C.foreign_segv_run() }
	ways["foreign-abort"] = func() { dying(0, "", ""); C.foreign_abort_run() }
}
