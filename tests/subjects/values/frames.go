// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"
)

type pair struct {
	Left  int
	Right string
}

type tree struct {
	Value       int
	Left, Right *tree
}

type service struct {
	name  string
	users map[string]int
}

type object = map[string]interface{}

var (
	mu     sync.Mutex
	frames = object{} // by function
	never  = make(chan int)
	ready  sync.WaitGroup

	sinking sync.Mutex
	sunk    []interface{}
)

//go:noinline
func sink(values ...interface{}) {
	sinking.Lock()
	defer sinking.Unlock()
	sunk = append(sunk, values...)
}

// state is called by the function of that name, just before it waits.
func state(function string, variables object) {
	stateOf(function, variables)
	ready.Done()
}

// stateOf is called for a function that its caller is about to call.
func stateOf(function string, variables object) {
	mu.Lock()
	defer mu.Unlock()
	frames[function] = inStatement(variables)
}

func inStatement(variables object) object {
	stated := object{}
	for name, value := range variables {
		v := reflect.ValueOf(value)
		if !v.IsValid() {
			stated[name] = variable{Type: "interface {}", Value: "nil"}
			continue
		}
		stated[name] = variable{Type: v.Type().String(), Value: simple(v, 0)}
	}
	return stated
}

//go:noinline
func scalars(a int8, b uint16, c float64, d bool, e complex64, f uintptr, g rune) {
	h, i := int64(a)*2, float32(c)
	state("main.scalars", object{"a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g,
		"h": h, "i": i})
	<-never
	sink(a, b, c, d, e, f, g, h, i)
}

//go:noinline
func texts(s string, list []string, bytes []byte) (n int, err error) {
	upper := strings.ToUpper(s)
	n = len(list)
	state("main.texts", object{"s": s, "list": list, "bytes": bytes, "upper": upper})
	<-never
	sink(s, list, bytes, upper, n)
	return n, nil
}

//go:noinline
func (s *service) method(p pair, t *tree, m map[string]int, f func(string) string) {
	both := [2]pair{p, {p.Left + 1, "more"}}
	state("main.(*service).method", object{"s": s, "p": p, "t": t, "m": m, "f": f, "both": both})
	<-never
	sink(s, p, t, m, f, both)
}

//go:noinline
func escapes(n int) {
	kept := pair{n, "on the heap"}
	pointer := &kept
	sink(pointer)
	state("main.escapes", object{"n": n, "kept": kept, "pointer": pointer})
	<-never
	sink(n, pointer, kept)
}

//go:noinline
func many(a, b, c, d, e, f, g, h, i, j, k, l int, s, t string, u, v interface{}) {
	state("main.many", object{"a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g, "h": h,
		"i": i, "j": j, "k": k, "l": l, "s": s, "t": t, "u": u, "v": v})
	<-never
	sink(a, b, c, d, e, f, g, h, i, j, k, l, s, t, u, v)
}

type gappy struct {
	A bool
	B int64
	C uint8
	D uint32
}

//go:noinline
func gaps(g gappy, n int) {
	other := gappy{!g.A, g.B + int64(n), g.C + 1, g.D * 2}
	state("main.gaps", object{"g": g, "n": n, "other": other})
	<-never
	sink(g, n, other)
}

//go:noinline
func floats(a, b, c float64, d float32, s []float64) {
	total := a + b + c
	state("main.floats", object{"a": a, "b": b, "c": c, "d": d, "s": s, "total": total})
	<-never
	sink(a, b, c, d, s, total)
}

//go:noinline
func caller(x int, s string) {
	y := x * 3
	callee(y, s+"!")
	sink(x, y, s)
}

//go:noinline
func callee(deep int, words string) {
	state("main.callee", object{"deep": deep, "words": words})
	<-never
	sink(deep, words)
}

//go:noinline
func interfaces(err error, any interface{}, none error, st fmt.Stringer, at time.Time) {
	state("main.interfaces", object{"err": err, "any": any, "st": st, "at": at})
	<-never
	sink(err, any, none, st, at)
}

func start(f func()) {
	ready.Add(1)
	go f()
}

// waiting is goroutines that wait with arguments, results and variables of every sort in their
// frames: each states its own, as reflection sees them, before it waits. What is used after the
// wait is kept.
func waiting() object {
	start(func() { scalars(-7, 65535, 2.5, true, complex(1, -2), 0xfeed, 'ß') })
	start(func() { texts("a text", []string{"x", "y", "z"}, []byte("abc")) })
	start(func() {
		s := &service{"shop", map[string]int{"ann": 1, "bob": 2}}
		s.method(pair{5, "right"}, &tree{1, &tree{Value: 2}, nil}, map[string]int{"k": 9},
			strings.ToLower)
	})
	start(func() { escapes(11) })
	start(func() { many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, "s", "t", 3.5, pair{1, "u"}) })
	start(func() { gaps(gappy{true, -2, 3, 4}, 5) })
	start(func() { floats(0.1, 0.2, 0.3, 0.4, []float64{1, 2}) })
	start(func() { caller(14, "inner") })
	start(func() {
		interfaces(os.ErrNotExist, pair{2, "any"}, nil, time.Second, time.Unix(1234567890, 5))
	})
	startClosures()
	startGenerics()
	startCalls()
	ready.Wait()
	return frames
}
