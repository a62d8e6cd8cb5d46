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
// and Monitor. Some are left out: SIGTSTP, SIGTTIN, SIGTTOU and SIGPIPE, because a program that was told of
// one is never again stopped or ended by it; SIGCHLD, which a snapshot causes itself; and SIGURG, which
// the runtime sends all the time.
func Register(signals ...os.Signal) {
	signals = registrable(signals)
	if len(signals) == 0 {
		return
	}
	ignored := map[os.Signal]bool{}
	for _, s := range signals {
		ignored[s] = signal.Ignored(s) // by nohup, say
	}
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, signals...)
	go func() {
		for s := range arrived {
			options := configured()
			ends := endsProgram(s) && !options.SignalsHandled && !ignored[s]
			r := newRequest(&options, "signal"+numberOf(s), nil)
			<-start(&options, r, ends)
			if ends {
				signal.Stop(arrived)
				sendAgain(s)
				return
			}
		}
	}()
}
