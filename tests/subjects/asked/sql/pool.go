// SPDX-License-Identifier: Apache-2.0

// Package sql has a pool of connections, all of which are in use.
package sql

import "subjects/truth"

// Pool is what callers wait for.
type Pool struct {
	Name string
	Free chan int
	Limits
	*Stats
}

// Limits is embedded in Pool.
type Limits struct{ MaxOpen int }

// Stats is embedded in Pool through a pointer.
type Stats struct{ WaitCount int64 }

// Conn never returns.
//
//go:noinline
func (p *Pool) Conn(query string) int {
	truth.Below("query", "chan receive")
	conn := <-p.Free
	return conn + len(query)
}
