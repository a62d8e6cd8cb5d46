// SPDX-License-Identifier: Apache-2.0

// Program raw says of the stacks of some goroutines what is where: the addresses of its
// locals and what they contain, and where each call returns to. It must not be run with
// a stack that is moved: GODEBUG=gcshrinkstackoff=1.
package main

import (
	"os"
	"runtime"
	"subjects/truth"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Local is a variable on the stack.
type Local struct {
	Function string
	Name     string
	Address  uintptr
	Words    []uintptr
}

// Return is what a call returns to: the function with the frame, what is inlined there, innermost
// first, and the line in the innermost.
type Return struct {
	PC       uintptr
	Function string
	Inlined  []string
	Line     int
}

// Stack is the statement of one goroutine.
type Stack struct {
	Goid    int64
	Locals  []Local
	Returns []Return
}

type label struct{ name string }

type point struct {
	x, y  int
	label label
	list  []byte
}

var (
	stated  = map[string]*Stack{}
	mu      sync.Mutex
	holding = make(chan int)
	pipe    [2]int
	spin    uint32
	text    = "a text of some length"
	bytes   = []byte("some bytes")
)

// grow makes the stack large enough, so that it stays where it is.
//
//go:noinline
func grow(n int) byte {
	var room [1 << 10]byte
	room[n%len(room)] = byte(n)
	if n > 0 {
		return grow(n-1) + room[int(spin)%len(room)]
	}
	return room[0]
}

// local states n words at an address that must not escape.
//
//go:noinline
func (s *Stack) local(function, name string, at uintptr, n int) {
	l := Local{function, name, at, nil}
	for i := 0; i < n; i++ {
		l.Words = append(l.Words, *(*uintptr)(unsafe.Pointer(at + uintptr(i)*8)))
	}
	s.Locals = append(s.Locals, l)
}

// callers states what the caller of wait, and so on, return to.
//
//go:noinline
func (s *Stack) callers() {
	pcs := make([]uintptr, 50)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs)])
	var r Return
	for {
		f, more := frames.Next()
		if r.PC == 0 {
			r.PC, r.Line = f.PC+1, f.Line
		}
		if f.Func == nil {
			r.Inlined = append(r.Inlined, f.Function)
		} else {
			r.Function = f.Function
			s.Returns = append(s.Returns, r)
			r = Return{}
		}
		if !more {
			return
		}
	}
}

//go:noinline
func (s *Stack) state(name string) {
	s.Goid = truth.Goid()
	s.callers()
	mu.Lock()
	stated[name] = s
	mu.Unlock()
}

//go:noinline
func done(n int) { spin += uint32(n) }

//go:noinline
func last(n int) { spin -= uint32(n) }

// wait is the innermost function of the program, with ways to stay in it.
//
//go:noinline
func wait(s *Stack, name string, number int) int {
	var three [3]int
	three[0], three[1], three[2] = number, 0x7331, int(spin)
	s.local("main.wait", "three", uintptr(unsafe.Pointer(&three)), 3)
	s.state(name)
	switch name {
	case "blocked", "deep":
		<-holding
	case "call":
		var b [1]byte
		syscall.Read(pipe[0], b[:])
	case "running":
		for atomic.LoadUint32(&spin) == 0 {
		}
	}
	return three[0] + three[1] + three[2]
}

// An inlined call has no frame.
func through(s *Stack, name string, p *point) int { return wait(s, name, p.x) + 1 }

// The record of a call that is deferred in a loop is in the heap or in the frame.
//
//go:noinline
func middle(s *Stack, name string, a, b int, words string) int {
	p := point{a, b, label{text}, bytes}
	s.local("main.middle", "p", uintptr(unsafe.Pointer(&p)), 7)
	for i := 0; i < 2; i++ {
		defer done(i)
	}
	n := through(s, name, &p)
	return n + p.x + p.y + len(p.label.name) + len(p.list) + len(words)
}

// So many deferred calls are not open-coded: their records are in the frame.
//
//go:noinline
func records(s *Stack, name string, n int) int {
	if n > 0 {
		defer last(0)
	}
	if n > 1 {
		defer last(0)
	}
	if n > 2 {
		defer last(0)
	}
	if n > 3 {
		defer last(0)
	}
	if n > 4 {
		defer last(0)
	}
	if n > 5 {
		defer done(0)
	}
	if n > 6 {
		defer done(0)
	}
	if n > 7 {
		defer done(0)
	}
	if n > 8 {
		defer done(0)
	}
	return outer(s, name, n) + 1
}

// The func value of an open-coded one is in the frame.
//
//go:noinline
func outer(s *Stack, name string, n int) int {
	var face interface{} = &spin
	number := n + 0x1000
	s.local("main.outer", "number", uintptr(unsafe.Pointer(&number)), 1)
	s.local("main.outer", "face", uintptr(unsafe.Pointer(&face)), 2)
	if n > 0 {
		defer last(n)
	}
	r := middle(s, name, number, n, text)
	runtime.KeepAlive(face)
	return r + number
}

// down uses more of the stack than a document keeps.
//
//go:noinline
func (s *Stack) down(name string, n int) int {
	var room [16]int
	room[n%len(room)] = n
	if n > 0 {
		return s.down(name, n-1) + room[len(name)]
	}
	return outer(s, name, 0)
}

func start(name string) {
	go func() {
		grow(900)
		s := new(Stack)
		if name == "deep" {
			s.down(name, 4000)
		} else {
			records(s, name, 5)
		}
	}()
}

func main() {
	names := []string{"blocked", "call", "deep", "running"}
	if syscall.Pipe(pipe[:]) != nil {
		os.Exit(1)
	}
	for _, name := range names {
		start(name)
	}
	for n := 0; n < len(names); {
		runtime.Gosched()
		mu.Lock()
		n = len(stated)
		mu.Unlock()
	}
	mu.Lock()
	truth.Say(stated)
	truth.Ready()
	truth.EndWithStdin()
	select {}
}
