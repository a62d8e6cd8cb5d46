// SPDX-License-Identifier: Apache-2.0

// Subject: a second plugin for the program plugs.
package main

import "subjects/truth"

func main() {}

type plugged struct{ never chan int }

// Start leaves three goroutines behind.
func Start(back func()) {
	p := plugged{make(chan int)}
	go p.receive()
	go deep(50, back)
	go deep(5, p.receive)
}

func (p plugged) receive() {
	truth.Below("in a method of the second plugin", "chan receive")
	<-p.never
}

func deep(n int, then func()) {
	if n > 0 {
		deep(n-1, then)
		return
	}
	then()
}

// Park is called by the program.
func Park() {
	truth.Below("called by the program", "select (no cases)")
	select {}
}
