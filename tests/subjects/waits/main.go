// SPDX-License-Identifier: Apache-2.0

// Subject: goroutines that know what they wait for: its address, its state, its other end.
// Everything stands still once READY is printed.
package main

import (
	"fmt"
	"subjects/truth"
	"time"
)

// cases start goroutines that state themselves; the next begins when all of them wait.
var cases []func()

// farAway is longer than any test.
const farAway = 1000 * time.Hour

// address as the document spells it.
func address(p interface{}) string {
	return fmt.Sprintf("%p", p)
}

func main() {
	truth.EndWithStdin()
	for _, start := range cases {
		before := truth.Count()
		start()
		truth.Await(before + 1)
	}
	mutexCrowd() // last: it makes each further look at all of them slow
	truth.Say(map[string]interface{}{"ready_at": time.Now().UTC()})
	truth.Ready()
	select {}
}

// await returns when n more goroutines have stated themselves, and all of them wait.
func await(start func(), n int) {
	before := truth.Count()
	start()
	truth.Await(before + n)
}
