// SPDX-License-Identifier: Apache-2.0

// Subject whose main goroutine never stops running: what its innermost function has is in
// registers for the most part. With an argument another one spins, too, and there is one processor
// for both: while one of them runs, the other was preempted. A third one panics.
package main

import (
	"fmt"
	"os"
	"runtime"
	"subjects/truth"
	"sync/atomic"
)

type pair struct {
	Left  int
	Right string
}

type facts map[string]map[string]string // by function

var (
	stop   int32
	sunk   []interface{}
	fallen = make(chan bool)
	never  = make(chan bool)
)

//go:noinline
func sink(values ...interface{}) { sunk = append(sunk, values...) }

//go:noinline
func spin(a int, b uint16, s string, f float64, g float32, ok bool, p *pair, list []int) int {
	c, d, n := a*3, f/4, 1
	for atomic.LoadInt32(&stop) == 0 {
		n = n*5 + 1
		if n < 0 {
			n = -n
		}
	}
	sink(a, b, s, f, g, ok, p, list, c, d, n)
	return n
}

// It panics at the nil pointer, and stays so.
//
//go:noinline
func falls(a int, s string, p *pair) int {
	defer func() {
		fallen <- true
		<-never
	}()
	c := a * 3
	n := p.Left + c
	sink(a, s, c)
	return n
}

func other() {
	fmt.Fprintln(os.Stderr, spin(-5, 513, "other", -6.5, 1.75, true, &pair{2, "q"}, nil))
}

func main() {
	truth.Say(facts{"main": {"a": "7", "b": "65535", "s": "spun", "f": "2.5", "g": "0.25",
		"ok": "true", "c": "21", "d": "0.625"}})
	truth.Say(facts{"fallen": {"a": "3", "s": "fell", "c": "9", "p": "nil"}})
	go falls(3, "fell", nil)
	<-fallen
	truth.EndWithStdin()
	if len(os.Args) > 1 {
		truth.Say(facts{"other": {"a": "-5", "b": "513", "s": "other", "f": "-6.5", "g": "1.75",
			"ok": "true", "c": "-15", "d": "-1.625"}})
		runtime.GOMAXPROCS(1)
		go other()
	}
	truth.Ready()
	fmt.Fprintln(os.Stderr, spin(7, 65535, "spun", 2.5, 0.25, true, &pair{1, "p"}, []int{1, 2}))
}
