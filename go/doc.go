// SPDX-License-Identifier: Apache-2.0

// Package gosnap lets a program have snapshots taken of itself by gosnap(1): when a goroutine
// panics, when the runtime ends the program, on a signal, or on demand. A snapshot is a document
// with the stacks, variables and waits of all goroutines; see gosnap-snapshot(5).
//
//	func main() {
//		gosnap.Configure(gosnap.Options{Folder: "/var/spool/shop"})
//		gosnap.Monitor()       // whatever the runtime ends the program for
//		defer gosnap.Recover() // panics of this goroutine
//		...
//	}
//
// gosnap itself must be installed. The package starts it as a child, which waits until the package
// says that it may begin: "gosnap monitor", of gosnap-monitor(1). It is no second copy of the program,
// whose initialization nobody expects to run twice. On systems other than Linux every function does
// nothing, and those that return an error return ErrUnsupported.
//
// What is never changed is how the program ends or goes on. If gosnap is missing, fails, is killed
// or takes longer than Options.Timeout, there is no snapshot, and nothing else happens: a panic goes
// on with the same value and the same traceback. The package prints nothing; give it a Logger to
// hear what it does.
//
// What a program can notice: for as long as a snapshot takes, it has a child process, for which it
// gets a SIGCHLD, as after any use of os/exec. Where Yama restricts who may trace whom
// (kernel.yama.ptrace_scope is 1), the child alone is allowed to, by PR_SET_PTRACER, until the
// snapshot is taken; a process that the program itself named before is not named again afterwards.
//
// A program that is set-uid or set-gid gets no snapshots: it would run what whoever starts it has put
// in its PATH, and with rights that are not theirs. After chroot(2), gosnap must be found in there; a
// child of Monitor that was started before sees the program die all the same.
package gosnap
