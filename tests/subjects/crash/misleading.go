// SPDX-License-Identifier: Apache-2.0

package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"subjects/truth"
	"sync"
	"unsafe"
)

// Deaths after others that were survived, and words that the runtime did not say.
func init() {
	for name, run := range map[string]func(){
		"map-repanicked": func() { handle(func() { (&index{}).addAgain("word") }) },
		"nil-then-map":   func() { cleansUp(&shop{}, nil) },
		"nil-then-index": func() { countsUp(&shop{}, nil) },
		"says-closed":    func() { throwOut("send on closed channel") },
		"says-nil":       func() { throwOut("nil") },
		"says-much":      func() { throwOut("x" + strings.Repeat("\u00e9", 300)) },
		"bad-last":       func() { last(nil) },
		"swapped": func() {
			dyingIn("main.swapped", swappedLine, "")
			swapped(nil, &cache{})
		},
		"first-round": func() {
			dyingIn("main.first", firstLine, "")
			first(&node{name: "a", right: &node{name: "b"}})
		},
		"read-only":      func() { overwrite("constant") },
		"read-unlocked":  func() { readUnlock(&sync.RWMutex{}) },
		"others-map-writes": func() {
			var begin sync.WaitGroup
			begin.Add(1)
			for i := 0; i < 4; i++ {
				go writeOwn(&begin)
			}
			for i := 0; i < 2; i++ {
				go write(shared, &begin)
			}
			dying(0, "", "")
			begin.Done()
			select {}
		},
		"torn":          func() { tear(&torn{}) },
		"torn-nil":      func() { tear((*worn)(nil)) },
		"torn-text":     func() { tear(quiet(-1)) },
		"torn-again":    func() { handle(func() { tear(&torn{}) }) },
		"torn-endless": func() {
			debug.SetMaxStack(2 << 20)
			tear(endless{})
		},
		"stack-overflow-tree": func() {
			debug.SetMaxStack(2 << 20)
			dying(1, "", "")
			(&node{}).descend(0)
		},
	} {
		ways[name] = run
	}
}

// handle is what servers do around a request.
func handle(request func()) {
	defer func() {
		if v := recover(); v != nil {
			panic(v)
		}
	}()
	request()
}

//go:noinline
func (x *index) addAgain(word string) {
	dying(1, "x.seen", "")
	x.seen[word]++
}

//go:noinline
func writeOne(m map[string]int) {
	dying(1, "m", "")
	m["one"] = 1
}

//go:noinline
func cleansUp(s *shop, m map[string]int) int {
	defer writeOne(m)
	return s.cache.hits
}

//go:noinline
func countsUp(s *shop, list []string) int {
	defer pick(list, 5)
	return s.cache.hits
}

//go:noinline
func last(list []string) string {
	dying(1, "list", "")
	return list[len(list)-1]
}

// Which of them it is, only the index says.
//
//go:noinline
func listed(i int) string {
	var list [4]*node
	list[0] = &node{name: "the first"}
	dying(1, "", "")
	return list[i].name
}

// Functions that call nothing are described by their callers.
func dyingIn(function string, line int, variable string) {
	say(facts{Way: way, Goroutine: truth.Goid(), Function: function, Line: line, Variable: variable})
}

func here() int {
	_, _, line, _ := runtime.Caller(1)
	return line
}

var swappedLine = here() + 5

//go:noinline
func swapped(a, b *cache) int {
	a, b = b, a
	return a.hits + b.hits
}

var firstLine = here() + 6

//go:noinline
func first(head *node) int {
	n := 0
	for at := head; ; at = at.right {
		n += len(at.name)
	}
}

//go:noinline
func (n *node) descend(depth int) int {
	if uint32(depth)*2654435761>>13&1 == 0 {
		return n.descend(depth+1) + 1
	}
	return n.descend(depth+1) + 2
}

//go:noinline
func overwrite(text string) {
	at := *(**byte)(unsafe.Pointer(&text))
	dying(1, "", "")
	*at = 'C'
}

//go:noinline
func readUnlock(m *sync.RWMutex) {
	dying(1, "", "")
	m.RUnlock()
}

// writeOwn uses a map that nobody else does.
func writeOwn(begin *sync.WaitGroup) {
	m := map[int]int{}
	begin.Wait()
	for i := 0; ; i++ {
		m[i%1000] = i
	}
}

// Values of which the runtime can make no text.
type torn struct{ left []string }

func (t *torn) Error() string { return t.left[3] }

type worn struct{ why string }

func (w *worn) Error() string { return w.why }

type quiet int

func (q quiet) String() string { return strings.Repeat("hush", int(q)) }

type endless struct{}

func (e endless) Error() string { return "again: " + error(e).Error() }

//go:noinline
func tear(value interface{}) {
	dying(1, "", "")
	panic(value)
}
