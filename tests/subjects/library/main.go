// SPDX-License-Identifier: Apache-2.0

// Subject: a goroutine in C code of a library of our own, which lies where the argument
// says: it can be deleted, replaced or hidden.
package main

/*
#cgo CFLAGS: -O2 -fomit-frame-pointer
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>

static int call_library(void (*wait_in_library)(void))
{
	wait_in_library();
	return 0;
}

static void *library_function(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	return library ? dlsym(library, "library_wait") : NULL;
}
*/
import "C"

import (
	"os"
	"runtime"
	"subjects/truth"
)

func main() {
	truth.EndWithStdin()
	function := C.library_function(C.CString(os.Args[1]))
	if function == nil {
		panic(C.GoString(C.dlerror()))
	}
	go inLibrary((*[0]byte)(function))
	go truth.Announce(2)
	truth.Below("main", "chan receive (nil chan)")
	<-(chan int)(nil)
}

func inLibrary(function *[0]byte) {
	runtime.LockOSThread()
	r := truth.Below("in the library", "syscall").Thread().Later(1)
	r.C = []string{"library_block", "library_wait"}
	C.call_library(function)
}
