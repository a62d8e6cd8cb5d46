// SPDX-License-Identifier: Apache-2.0

// Subject: a storm of real-time signals, which the kernel queues, each with its number. A
// thread of C sends them to the process and to a thread in turn, a handler in C counts them
// and adds the numbers. It answers to the line "report".
package main

/*
#cgo CFLAGS: -O2 -D_GNU_SOURCE
#cgo LDFLAGS: -lpthread
#include "side.h"
*/
import "C"

import (
	"bufio"
	"os"
	"subjects/truth"
	"time"
)

const goroutines = 5000

func main() {
	never := make(chan int)
	for i := 0; i < goroutines; i++ {
		go func() { <-never }()
	}
	go func() { // the runtime has its own signals
		for {
			_ = make([]byte, 100000)
			time.Sleep(100 * time.Microsecond)
		}
	}()
	C.storm_begin()
	truth.Ready()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if lines.Text() == "end" {
			C.storm_end()
		}
		t := C.storm_tally()
		truth.Say(map[string]uint64{
			"sent": uint64(t.sent), "received": uint64(t.received),
			"sent_sum": uint64(t.sent_sum), "received_sum": uint64(t.received_sum),
		})
	}
}
