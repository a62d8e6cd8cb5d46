// SPDX-License-Identifier: Apache-2.0

// Subject: goroutines that know whether anybody can wake them: their names begin with "leaked" or
// "alive". Everything stands still once READY is printed. To the line "profile" it answers with the ids
// of those that the runtime's own profile calls leaked; null: it has none.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/pprof"
	"subjects/truth"
	"sync"
	"time"
)

type planted struct {
	name string
	f    func(name string)
}

var cases []planted

func start(name string, f func(name string)) {
	cases = append(cases, planted{name, f})
}

//go:noinline
func receive(name string, c chan int) {
	wait := "chan receive"
	if c == nil {
		wait = "chan receive (nil chan)"
	}
	truth.Below(name, wait)
	<-c
}

//go:noinline
func either(name string, one chan int, other chan string) {
	truth.Below(name, "select")
	select {
	case <-one:
	case <-other:
	}
}

//go:noinline
func lock(name string, mu *sync.Mutex) {
	truth.Below(name, "semacquire|sync.Mutex.Lock")
	mu.Lock()
}

//go:noinline
func sleep() {
	time.Sleep(long)
}

func addressOf(c chan int) uintptr {
	return reflect.ValueOf(c).Pointer()
}

// profile makes the runtime look for leaked goroutines and reads which ones it found.
func profile() []int64 {
	p := pprof.Lookup("goroutineleak")
	if p == nil {
		return nil
	}
	found := []int64{}
	var text bytes.Buffer
	// The first time, what the collector had begun may still keep some.
	for i := 0; i < 2; i++ {
		text.Reset()
		if err := p.WriteTo(&text, 2); err != nil {
			panic(err)
		}
	}
	for lines := bufio.NewScanner(&text); lines.Scan(); {
		var id int64
		if n, _ := fmt.Sscanf(lines.Text(), "goroutine %d ", &id); n == 1 &&
			bytes.Contains(lines.Bytes(), []byte("(leaked")) {
			found = append(found, id)
		}
	}
	return found
}

func main() {
	for _, c := range cases {
		go c.f(c.name)
		for !truth.Stated(c.name) {
			runtime.Gosched()
		}
	}
	truth.Await(truth.Count())
	runtime.GC()
	truth.Ready()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if lines.Text() == "profile" {
			truth.Say(profile())
		}
	}
}
