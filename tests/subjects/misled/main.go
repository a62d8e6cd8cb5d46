// SPDX-License-Identifier: Apache-2.0

// Subject with values of types that people know by what they mean, all of them damaged, or without
// an end. It never touches them again.
package main

import (
	"container/list"
	"context"
	"math/big"
	"net"
	"os"
	"reflect"
	"subjects/truth"
	"sync"
	"time"
	"unsafe"
)

type words [16]uintptr

type any = interface{}

var (
	contextLoop         = context.WithValue(context.Background(), "key", 1)
	contextPair         = context.WithValue(context.WithValue(context.Background(), 1, 2), 3, 4)
	endedLoop, _        = context.WithTimeout(context.Background(), time.Hour)
	errorLoop     error = &net.OpError{Op: "dial", Net: "tcp"}
	queueLoop           = make(chan int)
	queueWild           = make(chan int)
	listLoop            = list.New()
	hugeNumber          = big.NewInt(1)
	longMap       sync.Map
	mapLoop       sync.Map
	reflectedLoop reflect.Value
	wildAddress   = net.TCPAddr{IP: net.IPv4(1, 2, 3, 4)}
	wildFile      = os.NewFile(1<<40, "wild")
	nowhere       *net.OpError
	nowhereMap    map[string]int
	nowhereQueue  chan int
)

func at(p unsafe.Pointer) *words { return (*words)(p) }

// inside is what an interface, a map or a channel points to.
func inside(p unsafe.Pointer) *words { return *(**words)(unsafe.Pointer(uintptr(p) + 8)) }

// copyInterface makes the first the second.
func copyInterface(to, from unsafe.Pointer) {
	at(to)[0], at(to)[1] = at(from)[0], at(from)[1]
}

// waiter is the only one in a queue of a channel, wherever this release has it.
func waiter(c unsafe.Pointer) *words {
	header := *(**words)(c)
	for i := 7; i < 11; i++ {
		if header[i] != 0 && header[i] == header[i+1] {
			return *(**words)(unsafe.Pointer(&header[i]))
		}
	}
	panic("nobody waits")
}

func waits(name string, c chan int) {
	truth.Below(name, "chan receive")
	<-c
}

func main() {
	debugOff()
	go waits("loop", queueLoop)
	go waits("wild", queueWild)
	truth.Await(2)
	sudog := waiter(unsafe.Pointer(&queueLoop))
	sudog[1] = uintptr(unsafe.Pointer(sudog))
	waiter(unsafe.Pointer(&queueWild))[1] = 0x10

	// The context that it was made from comes first in it.
	copyInterface(unsafe.Pointer(inside(unsafe.Pointer(&contextLoop))), unsafe.Pointer(&contextLoop))
	copyInterface(unsafe.Pointer(inside(unsafe.Pointer(inside(unsafe.Pointer(&contextPair))))),
		unsafe.Pointer(&contextPair))
	field, _ := reflect.TypeOf(endedLoop).Elem().FieldByName("err")
	err := unsafe.Pointer(uintptr(unsafe.Pointer(inside(unsafe.Pointer(&endedLoop)))) + field.Offset)
	copyInterface(err, unsafe.Pointer(&endedLoop))
	if field.Type.Kind() == reflect.Struct { // an atomic.Value has an interface without methods
		var ended any = endedLoop
		copyInterface(err, unsafe.Pointer(&ended))
	}
	op := errorLoop.(*net.OpError)
	op.Err = op
	copyInterface(unsafe.Pointer(&op.Source), unsafe.Pointer(&op.Err))
	copyInterface(unsafe.Pointer(&op.Addr), unsafe.Pointer(&op.Err))

	element := listLoop.PushBack(1)
	*(**list.Element)(unsafe.Pointer(element)) = element
	number := at(unsafe.Pointer(hugeNumber))
	number[2], number[3] = 1<<59, 1<<59 // length and capacity, behind the sign and a pointer
	for i := 0; i < 100000; i++ {
		longMap.Store(i, i)
	}
	mapLoop.Store(1, 1)
	twistMap(unsafe.Pointer(&mapLoop))
	reflectedLoop = reflect.ValueOf(&reflectedLoop).Elem()
	ip := at(unsafe.Pointer(&wildAddress))
	ip[0], ip[1], ip[2] = 0x10, 16, 16
	for _, p := range []unsafe.Pointer{unsafe.Pointer(&nowhere), unsafe.Pointer(&nowhereMap), unsafe.Pointer(&nowhereQueue)} {
		*(*uintptr)(p) = 0x20
	}

	truth.Say(map[string]any{"misled": true})
	os.Stdout.WriteString("READY\n")
	sleep()
}

// twistMap lets all below the top of a tree be the top; a map of the older form has none.
func twistMap(p unsafe.Pointer) {
	typ := reflect.TypeOf(mapLoop)
	field, found := typ.FieldByName("m")
	if !found {
		return
	}
	root, _ := field.Type.FieldByName("root")
	top := *(**[32]uintptr)(unsafe.Pointer(uintptr(p) + field.Offset + root.Offset))
	for i := range top {
		if i >= 3 && i < 3+16 {
			top[i] = uintptr(unsafe.Pointer(top))
		}
	}
}
