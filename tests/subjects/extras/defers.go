// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"reflect"
	"runtime"
	"subjects/truth"
	"sync"
)

func init() {
	cases = append(cases,
		func() { go deferOne() },
		func() { go deferSome(3) },
		func() { go deferSome(0) },
		func() { go deferInLoop() },
		func() { go deferMany() },
		func() { go deferNested() },
		func() { go deferMethods() },
		func() { go deferArguments(7) },
		func() { go deferHeapClosures() },
		func() { go deferWhilePanicking() },
		func() { go deferWhilePanickingDeep() },
		func() { go deferWhileReturning() },
		func() { go deferInGoexit() },
		func() { go deferAfterRecover() },
		func() { go deferBelowRecursion(5) },
		func() { go deferNever() },
	)
	for i := 0; i < 20; i++ {
		cases = append(cases, func() { go deferHeapClosures() })
	}
}

// expected is one deferred call: functions it may be, the innermost function of ours that
// deferred it, is it known to be kept in the frame.
type expected struct {
	Names []string `json:"names"`
	By    string   `json:"by"`
}

func name(f interface{}) string {
	return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
}

// caller names the function that calls the caller's caller.
func caller(skip int) string {
	pc, _, _, _ := runtime.Caller(skip + 1)
	return runtime.FuncForPC(pc).Name()
}

// by is the deferred call of one of these functions, deferred by the caller.
func by(names ...string) expected {
	return expected{names, caller(1)}
}

// pending states what will be called, next first. A wrapper may stand for a call with
// arguments: its name is that of its function with a suffix, stated as "function*".
func pending(what string, list ...expected) {
	state("defers", list)
	park("defers: " + what)
}

func first()  { use(1) }
func second() { use(2) }
func third()  { use(3) }

//go:noinline
func use(n int) {}

//go:noinline
func deferOne() {
	defer first()
	pending("one", by(name(first)))
}

//go:noinline
func deferSome(n int) {
	var list []expected
	if n > 1 {
		defer first()
		list = append([]expected{by(name(first))}, list...)
	}
	if n > 5 {
		defer second()
		list = append([]expected{by(name(second))}, list...)
	}
	f := func() { use(n) }
	if n > 2 {
		defer f()
		list = append([]expected{by(name(f))}, list...)
	}
	defer third()
	list = append([]expected{by(name(third))}, list...)
	pending("some", list...)
}

//go:noinline
func deferInLoop() {
	var list []expected
	for _, f := range []func(){first, second, third, func() { use(len(list)) }} {
		defer f()
		list = append([]expected{by(name(f))}, list...)
	}
	pending("loop", list...)
}

// More than eight are not kept in the frame.
//
//go:noinline
func deferMany() {
	defer first()
	defer second()
	defer third()
	defer first()
	defer second()
	defer third()
	defer first()
	defer second()
	defer third()
	one, two, three := by(name(first)), by(name(second)), by(name(third))
	pending("many", three, two, one, three, two, one, three, two, one)
}

//go:noinline
func deferNested() {
	defer first()
	list := []expected{by(name(first))}
	func() {
		defer second()
		list = append([]expected{by(name(second))}, list...)
		for i := 0; i < 2; i++ {
			func() {
				defer third()
				list = append([]expected{by(name(third))}, list...)
				if i == 0 {
					list = list[1:]
					return
				}
				pending("nested", list...)
			}()
		}
	}()
}

type thing struct{ n int }

func (t *thing) Unlock() { use(t.n) }
func (t thing) Close()   { use(t.n) }

type closer interface{ Close() }

//go:noinline
func deferMethods() {
	var c closer = &thing{3}
	t := &thing{4}
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	defer t.Unlock()
	defer c.Close()
	pending("methods",
		by("main.(*thing).Close", "main.deferMethods*"),
		by("main.(*thing).Unlock", "main.deferMethods*"),
		by("sync.(*Mutex).Unlock", "main.deferMethods*"))
}

//go:noinline
func deferArguments(n int) {
	defer use(n)
	defer func(a, b int) { use(a + b) }(n, n+1)
	pending("arguments", by("main.deferArguments*"), by("main.use", "main.deferArguments*"))
}

var sink func()

// Function values that lie on the heap.
//
//go:noinline
func deferHeapClosures() {
	n := truth.Goid()
	f := func() { use(int(n)) }
	sink = f
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer f()
	pending("heap", by(name(f)), by(name(cancel)))
	use(len(ctx.Err().Error()))
}

//go:noinline
func deferWhilePanicking() {
	defer first()
	list := []expected{by(name(first))}
	defer func() {
		defer second()
		pending("panicking", append([]expected{by(name(second))}, list...)...)
	}()
	defer third()
	panic("with deferred calls")
}

//go:noinline
func deferWhilePanickingDeep() {
	defer first()
	list := []expected{by(name(first))}
	for i := 0; i < 2; i++ {
		defer second()
		list = append([]expected{by(name(second))}, list...)
	}
	defer func() { pending("panicking deep", list...) }()
	func() {
		defer third()
		func() {
			for i := 0; i < 2; i++ {
				defer third()
			}
			var p *thing
			p.n++
		}()
	}()
}

//go:noinline
func deferWhileReturning() {
	defer first()
	list := []expected{by(name(first))}
	defer func() { pending("returning", list...) }()
	defer third()
}

//go:noinline
func deferInGoexit() {
	defer first()
	list := []expected{by(name(first))}
	defer func() { pending("Goexit", list...) }()
	runtime.Goexit()
}

//go:noinline
func deferAfterRecover() {
	defer first()
	list := []expected{by(name(first))}
	func() {
		defer second()
		defer func() { recover() }()
		panic("recovered")
	}()
	pending("after recover", list...)
}

var below []expected

//go:noinline
func deferBelowRecursion(n int) {
	defer first()
	below = append(below, by(name(first)))
	if n == 0 {
		pending("recursion", below...)
	}
	deferBelowRecursion(n - 1)
}

//go:noinline
func deferNever() {
	if truth.Goid() == 0 {
		defer first()
	}
	pending("never")
}
