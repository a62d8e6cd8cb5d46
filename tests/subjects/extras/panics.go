// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"strings"
	"unsafe"
)

type (
	namedBool    bool
	namedInt     int
	namedUint8   uint8
	namedFloat   float64
	namedComplex complex64
	namedText    string
	namedStruct  struct{ a, b int }
	namedFunc    func()
	unnamedLong  = struct{ ThisIsAFieldWithALongName, AndThisIsAnotherOne, AndAThird string }
	asserted     interface{ Missing() }
	panicFunc    func(hold func())
)

var values = []interface{}{
	true, false, 0, -5, int8(-128), int16(-300), int32(-1 << 31), int64(math.MinInt64),
	uint(7), uint8(255), uint16(65535), uint32(1 << 31), uint64(math.MaxUint64), uintptr(4096),
	float32(0.1), 1.0, -2.5, 1e21, 1e-7, 0.0, 123456.0, 1234567.0, 1.0 / 3, math.Inf(1),
	math.Inf(-1), math.NaN(), math.MaxFloat64, math.SmallestNonzeroFloat64, math.Copysign(0, -1),
	complex64(complex(1, -2)), complex(0.5, 1e100), complex(math.NaN(), math.Inf(-1)),
	"", "text", "“quoted”\"", strings.Repeat("long ", 200),
	namedBool(true), namedInt(-1), namedUint8(9), namedFloat(0.25), namedComplex(3),
	namedText("a text"), namedStruct{1, 2}, &namedStruct{}, namedFunc(func() {}),
	[]int{1}, map[string]int{}, make(chan int), [1]*int{}, unnamedLong{}, &unnamedLong{},
	struct{}{}, (*int)(nil), unsafe.Pointer(new(int)),
	errors.New("an error"), fmt.Errorf("wrapped: %w", errors.New("inside")),
}

// panics in which hold is called by a deferred function, innermost panic first.
var panics = []panicFunc{
	func(hold func()) {
		defer hold()
		panic(nil)
	},
	func(hold func()) {
		defer func() {
			defer hold()
			panic("second")
		}()
		panic("first")
	},
	func(hold func()) {
		defer hold()
		defer func() { panic(recover()) }()
		panic("again")
	},
	func(hold func()) {
		defer hold()
		defer func() {
			recover()
			panic("other")
		}()
		panic(namedInt(1))
	},
	func(hold func()) {
		defer hold()
		defer func() { panic(namedText("late")) }()
		runtime.Goexit()
	},
	func(hold func()) {
		defer func() {
			defer func() {
				defer hold()
				panic(3)
			}()
			panic(2)
		}()
		panic(1)
	},
	func(hold func()) { index(hold, []int{1}, 5) },
	func(hold func()) { index(hold, []int{1}, -1) },
	func(hold func()) { slice(hold, []int{1}, 1, 3) },
	func(hold func()) { slice(hold, []int{1}, 3, 1) },
	func(hold func()) { divide(hold, 0) },
	func(hold func()) { nilPointer(hold, nil) },
	func(hold func()) { nilMap(hold, nil) },
	func(hold func()) { assert(hold, nil) },
	func(hold func()) { assert(hold, "text") },
	func(hold func()) { assertError(hold, errors.New("x")) },
	func(hold func()) { assertMethod(hold, namedInt(1)) },
}

//go:noinline
func index(hold func(), s []int, n int) int {
	defer hold()
	return s[n]
}

//go:noinline
func slice(hold func(), s []int, from, to int) []int {
	defer hold()
	return s[from:to]
}

//go:noinline
func divide(hold func(), n int) int {
	defer hold()
	return 1 / n
}

//go:noinline
func nilPointer(hold func(), p *int) int {
	defer hold()
	return *p
}

//go:noinline
func nilMap(hold func(), m map[int]int) {
	defer hold()
	m[1] = 1
}

//go:noinline
func assert(hold func(), v interface{}) int {
	defer hold()
	return v.(int)
}

//go:noinline
func assertError(hold func(), v error) *os.PathError {
	defer hold()
	return v.(*os.PathError)
}

//go:noinline
func assertMethod(hold func(), v interface{}) asserted {
	defer hold()
	return v.(asserted)
}

func init() {
	simple := len(panics)
	for i := range values {
		v := values[i]
		panics = append(panics, func(hold func()) {
			defer hold()
			panic(v)
		})
	}
	for i, f := range panics {
		i, f := i, f
		stated := map[string]interface{}{"index": i}
		if i >= simple {
			v := values[i-simple]
			stated["type"] = reflect.TypeOf(v).String()
			stated["data"] = fmt.Sprintf("%#x", (*[2]uintptr)(unsafe.Pointer(&v))[1])
		}
		cases = append(cases, func() {
			go f(func() {
				state("panics", stated)
				park("panic")
			})
		})
	}
	cases = append(cases,
		func() {
			go func() {
				defer func() {
					state("panics", map[string]interface{}{"chain": []string{"goexit"}})
					park("Goexit")
				}()
				runtime.Goexit()
			}()
		},
		func() {
			go func() {
				defer func() {
					recover()
					state("panics", map[string]interface{}{"chain": []string{"recovered"}})
					park("recovered, still in the deferred call")
				}()
				panic("recovered")
			}()
		},
	)
}

// crash ends the process by the panic of that number.
func crash(n int) {
	go panics[n](func() {})
	select {}
}
