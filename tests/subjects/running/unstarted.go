// SPDX-License-Identifier: Apache-2.0

package main

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"subjects/truth"
	"syscall"
	"unsafe"
)

var (
	begun   int
	a       uint8
	b       int16
	c       int32
	d, e    int64
	written = []byte("READY\n")
)

// unbegun is what there is to see of a goroutine that has not started: the line of its function
// and the values of its variables.
type unbegun struct {
	Line      int               `json:"line"`
	Variables map[string]string `json:"variables"`
}

type order struct{ number int }

//go:noinline
func keep(values ...interface{}) { sink = values }

//go:noinline
func leave(n *int) {
	begun += *n
	runtime.Goexit()
}

//go:noinline
func (o *order) place(n int, s string) {
	begun++
	later := n + 1
	keep(o, n, &s, later, &later) // s is moved to the heap
}

func lineOf(f interface{}) (string, int) {
	at := runtime.FuncForPC(reflect.ValueOf(f).Pointer())
	_, line := at.FileLine(at.Entry())
	return at.Name(), line
}

// closures captures by value and by reference.
//
//go:noinline
func closures(n int, s string) []func() {
	shared, wide := n*2, [5]int{n, n + 1}
	some := []func(){
		func() {
			begun++
			keep(n, s, shared, wide)
			shared++
			keep(&shared, n, s)
		},
		func() { keep(s, begun); begun++ },
	}
	shared++
	return some
}

// unstarted starts goroutines that get no processor: there is one, and it is in a system call that
// the runtime is not told of. Should some begin all the same, because that took too long, all are
// started again.
func unstarted() {
	runtime.LockOSThread()
	blockSIGURG()
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(1)
	stated, o, others := map[string]unbegun{}, &order{7}, runtime.NumGoroutine()
	some := closures(20, "captured")
	values := []map[string]string{{"n": "20", "s": "captured", "shared": "41"}, {"s": "captured"}}
	for i, f := range append(some, family...) {
		name, line := lineOf(f)
		stated[name] = unbegun{line, map[string]string{}}
		if i < len(some) {
			stated[name] = unbegun{line, values[i]}
		}
	}
	name, line := lineOf((*order).place)
	stated[name] = unbegun{line, map[string]string{"n": "3", "s": "passed"}}
	truth.Say(map[string]interface{}{"unbegun": stated})
	for begun = 1; begun != 0; {
		for runtime.NumGoroutine() > others {
			runtime.Gosched() // they end
		}
		some, begun = closures(20, "captured"), 0
		go o.place(3, "passed")
		for _, f := range append(some, family...) {
			go f()
		}
	}
	place := uintptr(unsafe.Pointer(&written[0]))
	syscall.RawSyscall(syscall.SYS_WRITE, 1, place, uintptr(len(written)))
	syscall.RawSyscall(syscall.SYS_READ, 0, place, 1)
	syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
}

// Of many sizes, by what they set. A function does not end with a jump where the next one may begin,
// but with what follows a call that never returns it can: some of these do.

//go:nosplit
func p00() { n00 := 5; leave(&n00); panic(0) }

//go:nosplit
func p01() { n01 := 5; leave(&n01); a = 1; panic(0) }

//go:nosplit
func p02() { n02 := 5; leave(&n02); b = 1; panic(0) }

//go:nosplit
func p03() { n03 := 5; leave(&n03); a, b = 1, 1; panic(0) }

//go:nosplit
func p04() { n04 := 5; leave(&n04); c = 1; panic(0) }

//go:nosplit
func p05() { n05 := 5; leave(&n05); a, c = 1, 1; panic(0) }

//go:nosplit
func p06() { n06 := 5; leave(&n06); b, c = 1, 1; panic(0) }

//go:nosplit
func p07() { n07 := 5; leave(&n07); a, b, c = 1, 1, 1; panic(0) }

//go:nosplit
func p08() { n08 := 5; leave(&n08); d = 1; panic(0) }

//go:nosplit
func p09() { n09 := 5; leave(&n09); a, d = 1, 1; panic(0) }

//go:nosplit
func p10() { n10 := 5; leave(&n10); b, d = 1, 1; panic(0) }

//go:nosplit
func p11() { n11 := 5; leave(&n11); a, b, d = 1, 1, 1; panic(0) }

//go:nosplit
func p12() { n12 := 5; leave(&n12); c, d = 1, 1; panic(0) }

//go:nosplit
func p13() { n13 := 5; leave(&n13); a, c, d = 1, 1, 1; panic(0) }

//go:nosplit
func p14() { n14 := 5; leave(&n14); b, c, d = 1, 1, 1; panic(0) }

//go:nosplit
func p15() { n15 := 5; leave(&n15); a, b, c, d = 1, 1, 1, 1; panic(0) }

//go:nosplit
func p16() { n16 := 5; leave(&n16); e = 1; panic(0) }

//go:nosplit
func p17() { n17 := 5; leave(&n17); a, e = 1, 1; panic(0) }

//go:nosplit
func p18() { n18 := 5; leave(&n18); b, e = 1, 1; panic(0) }

//go:nosplit
func p19() { n19 := 5; leave(&n19); a, b, e = 1, 1, 1; panic(0) }

//go:nosplit
func p20() { n20 := 5; leave(&n20); c, e = 1, 1; panic(0) }

//go:nosplit
func p21() { n21 := 5; leave(&n21); a, c, e = 1, 1, 1; panic(0) }

//go:nosplit
func p22() { n22 := 5; leave(&n22); b, c, e = 1, 1, 1; panic(0) }

//go:nosplit
func p23() { n23 := 5; leave(&n23); a, b, c, e = 1, 1, 1, 1; panic(0) }

//go:nosplit
func p24() { n24 := 5; leave(&n24); d, e = 1, 1; panic(0) }

//go:nosplit
func p25() { n25 := 5; leave(&n25); a, d, e = 1, 1, 1; panic(0) }

//go:nosplit
func p26() { n26 := 5; leave(&n26); b, d, e = 1, 1, 1; panic(0) }

//go:nosplit
func p27() { n27 := 5; leave(&n27); a, b, d, e = 1, 1, 1, 1; panic(0) }

//go:nosplit
func p28() { n28 := 5; leave(&n28); c, d, e = 1, 1, 1; panic(0) }

//go:nosplit
func p29() { n29 := 5; leave(&n29); a, c, d, e = 1, 1, 1, 1; panic(0) }

//go:nosplit
func p30() { n30 := 5; leave(&n30); b, c, d, e = 1, 1, 1, 1; panic(0) }

//go:nosplit
func p31() { n31 := 5; leave(&n31); a, b, c, d, e = 1, 1, 1, 1, 1; panic(0) }

var family = []func(){
	p00, p01, p02, p03, p04, p05, p06, p07,
	p08, p09, p10, p11, p12, p13, p14, p15,
	p16, p17, p18, p19, p20, p21, p22, p23,
	p24, p25, p26, p27, p28, p29, p30, p31,
}
