// SPDX-License-Identifier: Apache-2.0

package gosnap

import "time"

// A pause is how long to wait until one asks again. A long timer would hide deadlocks of the program
// from the runtime, in some releases even once it is stopped.
type pause struct {
	end  time.Time
	next time.Duration
}

func pauses(timeout time.Duration) *pause {
	return &pause{time.Now().Add(timeout), 200 * time.Microsecond}
}

// wait returns false when it is too late.
func (p *pause) wait() bool {
	const longest = 10 * time.Millisecond
	time.Sleep(p.next)
	if p.next *= 2; p.next > longest {
		p.next = longest
	}
	return time.Now().Before(p.end)
}
