// SPDX-License-Identifier: Apache-2.0

// Subject with variables of every kind: it says what is in them as reflection finds it, and of
// channels and functions, which that cannot look into, what it put there itself.
package main

import (
	"errors"
	"math"
	"os"
	"reflect"
	"strings"
	"subjects/truth"
	"time"
	"unsafe"
)

type celsius float64
type names []string
type registry map[string]int
type weekday int
type visitor func(int) bool

type inner struct {
	A int8
	B string
}

type outer struct {
	inner
	Name  string
	next  *outer
	_     int32
	Parts [2]inner
}

type shape interface{ Area() float64 }
type square struct{ side float64 }
type tiny struct{ only *int }

func (s square) Area() float64 { return s.side * s.side }
func (t *tiny) Area() float64  { return float64(*t.only) }

type large [200]byte

var (
	aBool, anotherBool = true, false
	anInt              = -42
	anInt8             = int8(math.MinInt8)
	anInt16            = int16(math.MinInt16)
	anInt32            = int32(math.MinInt32)
	anInt64            = int64(math.MinInt64)
	aUint              = uint(42)
	aUint8             = uint8(math.MaxUint8)
	aUint16            = uint16(math.MaxUint16)
	aUint32            = uint32(math.MaxUint32)
	aUint64            = uint64(math.MaxUint64)
	justExact          = int64(1) << 53
	noLongerExact      = int64(1)<<53 + 1
	aUintptr           = uintptr(0xdeadbeef)
	aFloat32           = float32(0.1)
	aFloat64           = 0.1
	small, big         = math.SmallestNonzeroFloat64, math.MaxFloat64
	notANumber         = math.NaN()
	negativeZero       = math.Copysign(0, -1)
	negativeZeros      = complex(float32(math.Copysign(0, -1)), 0)
	infinite           = [2]float64{math.Inf(1), math.Inf(-1)}
	aComplex64         = complex64(complex(1.5, -2.25))
	aComplex128        = complex(math.Pi, math.E)
	aRune              = 'é'
	aTemperature       = celsius(-273.15)
	aDay               = weekday(3)

	emptyString = ""
	aString     = "grüezi \x00 \"world\" \u2028"
	notUTF8     = "\xff\xfe abc"
	longString  = strings.Repeat("0123456789", 1000)

	anArray    = [3]int{1, 2, 3}
	noElements = [0]int{}
	nested     = [2][3]int16{{1, 2, 3}, {4, 5, 6}}
	aSlice     = []string{"a", "", "c"}
	ofASlice   = anArray[1:2:3]
	nilSlice   []int
	emptySlice = []int{}
	someBytes  = []byte("some bytes\n")
	moreBytes  = []byte{0, 1, 254, 255}
	someNames  = names{"x", "y"}
	slices     = [][]int{{1}, {2, 3}, nil}

	nilMap     map[string]int
	emptyMap   = map[string]int{}
	smallMap   = map[string]int{"one": 1, "two": 2, "three": 3}
	boolMap    = map[bool][]int{true: {1}, false: nil}
	structMap  = map[inner]*inner{{1, "x"}: {2, "y"}}
	aRegistry  = registry{"a": 1}
	largeMap   = map[int]int{}
	bigKeys    = map[large]large{}
	floatMap   = map[float64]string{0.5: "half", math.Inf(1): "inf"}
	anyMap     = map[interface{}]interface{}{1: "one", "two": 2, inner{3, "c"}: nil}
	shrunkMap  = map[int]string{}
	mapOfMaps  = map[string]map[string]bool{"a": {"b": true}}
	emptyElems = map[string]struct{}{"x": {}, "y": {}}

	aStruct     = outer{inner: inner{1, "b"}, Name: "outer", Parts: [2]inner{{2, "c"}, {3, "d"}}}
	emptyStruct struct{}
	anonymous   = struct {
		X, y int
		Z    *int
	}{1, 2, &anInt}

	nilPointer   *int
	aPointer     = &anInt
	twice        = &aPointer
	toStruct     = &aStruct
	aList        = &outer{Name: "first", next: &outer{Name: "second"}}
	rawPointer   = unsafe.Pointer(&anInt)
	nilInterface interface{}
	anyInt       interface{} = 7
	anySmall     interface{} = uint8(200)
	anyString    interface{} = "inside"
	anyPointer   interface{} = &anInt
	anyStruct    interface{} = inner{5, "in"}
	anyMapIn     interface{} = map[string]int{"k": 9}
	anySlice     interface{} = []int{1, 2}
	anyFunc      interface{} = strings.ToUpper
	anyDirect    interface{} = [1]*int{&anInt}
	anyTiny      interface{} = tiny{&anInt}
	madeSlice    interface{} = fromWords(reflect.SliceOf(reflect.ArrayOf(3, reflect.TypeOf(celsius(0)))))
	madeStruct   interface{} = fromWords(madeType)
	madeMap      interface{} = fromWords(reflect.MapOf(reflect.TypeOf(celsius(0)), madeType))
	madeLargeMap interface{} = fromWords(reflect.MapOf(reflect.ArrayOf(150, reflect.TypeOf(celsius(0))), reflect.ArrayOf(20, madeType)))
	madeSet      interface{} = fromWords(reflect.MapOf(reflect.TypeOf(celsius(0)), reflect.TypeOf(struct{}{})))
	madePointer  interface{} = fromWords(reflect.PtrTo(madeType))
	madeChannel  interface{} = fromWords(reflect.ChanOf(reflect.RecvDir, madeType))
	madeFunc     interface{} = fromWords(reflect.FuncOf([]reflect.Type{madeType, reflect.TypeOf([]int8{})}, []reflect.Type{madeType, reflect.TypeOf(1)}, true))
	aShape       shape       = square{2}
	aTinyShape   shape       = &tiny{&anInt}
	nilShape     shape
	anError      error = errors.New("it failed")
	aPathError   error = &os.PathError{Op: "open", Path: "/none", Err: os.ErrNotExist}
	aTime              = time.Date(2026, 11, 21, 12, 30, 15, 123456789, time.UTC)
	aDuration          = 90 * time.Second

	nilChannel    chan int
	emptyChannel  = make(chan int)
	aChannel      = make(chan string, 4)
	wrapped       = make(chan inner, 3)
	closedChannel = make(chan int, 2)
	nilFunc       func()
	aFunc         = strings.ToLower
	aVisitor      visitor
)

// A type that is in no part of the program.
var madeType = reflect.StructOf([]reflect.StructField{
	{Name: "Heat", Type: reflect.TypeOf(celsius(0))}, {Name: "In", Type: reflect.TypeOf(&inner{})}})

// setTo makes one value of a type different from others.
func setTo(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.Float64, reflect.Float32:
		v.SetFloat(float64(n) / 4)
	case reflect.Array:
		setTo(v.Index(n&7), n)
	case reflect.Struct:
		if v.NumField() > 0 {
			setTo(v.Field(0), n)
		}
	}
}

// fromWords has a value of a type that the program makes while it runs.
func fromWords(t reflect.Type) interface{} {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, 2, 4))
		v.Index(1).Index(2).SetFloat(36.6)
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for i := 0; i < 30; i++ {
			key, elem := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			setTo(key, i)
			setTo(elem, -i)
			v.SetMapIndex(key, elem)
		}
	case reflect.Struct:
		v.Field(0).SetFloat(-1.5)
		v.Field(1).Set(reflect.ValueOf(&inner{3, "made"}))
	case reflect.Ptr:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Field(0).SetFloat(2.5)
	}
	return v.Interface()
}

func init() {
	for i := 0; i < 1000; i++ {
		largeMap[i] = i * i
		shrunkMap[i] = "gone"
	}
	for i := 0; i < 20; i++ {
		var key large
		key[0] = byte(i)
		bigKeys[key] = key
	}
	for i := 0; i < 990; i++ {
		delete(shrunkMap, i)
	}
	aChannel <- "first"
	aChannel <- "second"
	for i := int8(0); i < 5; i++ { // its oldest is no longer the first of the buffer
		wrapped <- inner{i, "w"}
		if i < 2 {
			<-wrapped
		}
	}
	closedChannel <- 1
	close(closedChannel)
	limit := anInt
	aVisitor = func(n int) bool { return n < limit }
}

func main() {
	stated := all()
	for name, variable := range inMotion() {
		stated[name] = variable
	}
	startDescribed()
	startBoxed()
	truth.Say(object{"variables": stated, "own": own(), "waiting": waiting(), "parts": startParts(),
		"texts": inWords(), "captures": captures, "generic": generic, "loops": inLoops, "called": called, "described": inInterfaces,
		"boxes": boxes, "rooms": rooms})
	truth.Ready()
	truth.EndWithStdin()
	select {}
}
