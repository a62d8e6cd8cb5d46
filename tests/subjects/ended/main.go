// SPDX-License-Identifier: Apache-2.0

// ended is as small as a Go program can be that waits in a few places and dies of a nil map: for
// tests/cores.
package main

type index struct{ seen map[string]int }

//go:noinline
func (x *index) add(word string) {
	x.seen[word]++
}

func receive(c chan int, started chan bool) {
	started <- true
	<-c
}

func main() {
	started := make(chan bool)
	for i := 0; i < 5; i++ {
		go receive(make(chan int), started)
		<-started
	}
	done := make(chan bool)
	go func() {
		new(index).add("word")
		done <- true
	}()
	<-done
}
