// SPDX-License-Identifier: Apache-2.0

// Package part is one that has a version in its path.
package part

// Handler returns a closure that is inlined together with it, or not.
func Handler(f func()) func() { //more
	return func() { f() }
}

// Queue is embedded by what others call.
type Queue struct{ Items chan int }

// Put waits if nobody takes.
func (q *Queue) Put(i int) { //more
	q.Items <- i
}
