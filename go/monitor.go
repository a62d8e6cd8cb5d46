// SPDX-License-Identifier: Apache-2.0

package gosnap

import "errors"

// Before Go 1.23 the runtime says why it ends a program on standard error only.
var errNeedsStandardError = errors.New("gosnap: Monitor requires Go 1.23, or the option StandardError")

var errMonitored = errors.New("gosnap: there is a monitor already")

// Monitor starts a child that takes a snapshot when the runtime ends the program: for a panic of any
// goroutine, a fatal error such as a deadlock or concurrent map writes, or a signal. It needs no
// deferred call, and catches what cannot be recovered. The child waits until then, and is told of the
// death by debug.SetCrashOutput, of which there is only one: if the program calls it later, the monitor
// is off; what it set before is off from here on, such as a file for the traceback. While the snapshot is taken, the runtime is kept from going on; then it does.
//
// Options are those of the time of the call.
//
// Of a panic that both Recover and Monitor see there is one snapshot, that of Recover: it has the
// attributes of the call, such as the request that was served, and was taken before other deferred
// functions changed anything; and nobody knew yet whether the panic would end the program. Monitor
// takes its own unless the goroutine, the value and the calls that led to it are all the same: if a
// deferred function panics in turn, if another goroutine does, if the program recovered and later dies
// of something else, or if Recover got no snapshot, be it for Options.Every, which Monitor ignores.
//
// With GOTRACEBACK=none the runtime tells nobody of fatal errors: there are snapshots of panics only. A
// program that closes descriptors it did not open turns the monitor off; if it opens files in their
// place, the runtime writes its traceback to one of them.
//
// If the child hangs, or somebody stops it (SIGSTOP), a program that dies waits for it for Options.Timeout and a
// second; then another process, the child's own, kills it. If the child is killed, the program dies as without it.
//
// Before Go 1.23, Monitor returns an error, unless the option StandardError is given.
func Monitor(more ...Option) error {
	options := configured()
	return monitor(&options, newRequest(&options, "panic", more))
}

// StandardError is an option of Monitor for programs built with Go 1.15 to 1.22: what the program and
// the runtime write to standard error goes through the child. Standard error is a pipe then, no
// terminal or file, and what the program wrote last may appear after its end. If the child is killed,
// standard error becomes what it was, but what was on its way is lost. A deadlock of all goroutines
// is not noticed: one waits for the child.
func StandardError() Option {
	return func(r *request) { r.standardError = true }
}
