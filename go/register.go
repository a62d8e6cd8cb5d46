// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"os"
	"os/signal"
)

// Register takes a snapshot whenever the program gets one of the signals. The program then goes on as
// without it: a signal that ends a Go program by default is sent to it again, and ends it. If the
// program handles signals itself, set Options.SignalsHandled, so that it does not get them twice.
//
// Signals that Go turns into panics, such as a SIGSEGV that code of the program causes, are for Recover
// and Monitor.
func Register(signals ...os.Signal) {
	if len(signals) == 0 {
		return
	}
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, signals...)
	go func() {
		for s := range arrived {
			onSignal(s)
			if options := configured(); !options.SignalsHandled && endsProgram(s) {
				signal.Stop(arrived)
				sendAgain(s)
				return
			}
		}
	}()
}

func onSignal(s os.Signal) {
	options := configured()
	r := newRequest(&options, "signal"+numberOf(s), nil)
	// The program may be about to end.
	<-start(options, r, endsProgram(s))
}
