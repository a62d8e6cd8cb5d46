// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// A panicID is what gosnap says of a panic: the goroutine, two words of the value, and a hash of the calls
// that led to it.
type panicID [4]uint64

const (
	worthlessMost = 8
	anyWord       = ^uint64(0)
)

// A notes is read in our memory by a child, also as we die: nothing has to be sent to it then, or to be
// running. Its layout is that of gosnap-monitor(1), --noted. Worthless panics come first.
type notes [16]panicID

// What Recover had snapshots taken of is for the child of Monitor.
var (
	noted  notes
	unseen notes // for those of Recover
	noting struct {
		sync.Mutex
		since [len(noted)]time.Time
		next  int
	}
)

func (n *notes) argument() string {
	return "--noted=0x" + strconv.FormatUint(uint64(uintptr(unsafe.Pointer(n))), 16)
}

// set writes what may be read at any moment: without a goroutine it is nobody's.
func (id *panicID) set(to panicID) {
	atomic.StoreUint64(&id[0], 0)
	for word := len(id) - 1; word >= 0; word-- {
		atomic.StoreUint64(&id[word], to[word])
	}
}

// A WorthlessPanic says of which panics there are to be no snapshots.
type WorthlessPanic struct {
	id   panicID
	kept interface{} // so that no other value gets the address
}

// words are those of the value as panic gets it.
func words(value interface{}) [2]uintptr { return *(*[2]uintptr)(unsafe.Pointer(&value)) }

// PanicValue is a panic with this very value: a pointer, as errors are that were made by errors.New, such
// as http.ErrAbortHandler.
func PanicValue(value interface{}) WorthlessPanic {
	if reflect.ValueOf(value).Kind() != reflect.Ptr {
		return WorthlessPanic{}
	}
	w := words(value)
	return WorthlessPanic{panicID{anyWord, uint64(w[0]), uint64(w[1]), anyWord}, value}
}

// PanicType is a panic with a value of the type of the example, which may be nil: (*T)(nil).
func PanicType(example interface{}) WorthlessPanic {
	if example == nil {
		return WorthlessPanic{}
	}
	return WorthlessPanic{panicID{anyWord, uint64(words(example)[0]), anyWord, anyWord}, example}
}

// setWorthless keeps the first few. The garbage collector moves nothing, and the options keep the values.
func setWorthless(list []WorthlessPanic) {
	noting.Lock()
	defer noting.Unlock()
	for i := 0; i < worthlessMost; i++ {
		var id panicID
		if i < len(list) {
			id = list[i].id
		}
		noted[i].set(id)
		unseen[i].set(id)
	}
}

// note takes down that there is a snapshot. A goroutine has one panic that may end the program.
func note(id *panicID, began time.Time) {
	forget(id[0], time.Time{})
	noting.Lock()
	defer noting.Unlock()
	i := worthlessMost + noting.next
	noting.next = (noting.next + 1) % (len(noted) - worthlessMost)
	noting.since[i] = began
	noted[i].set(*id)
}

// forget removes what is noted of a goroutine, unless it is of later than that.
func forget(goroutine uint64, before time.Time) {
	noting.Lock()
	defer noting.Unlock()
	for i := worthlessMost; i < len(noted); i++ {
		if noted[i][0] == goroutine && (before.IsZero() || noting.since[i].Before(before)) {
			atomic.StoreUint64(&noted[i][0], 0)
		}
	}
}

// parsePanic reads the words after "panic".
func parsePanic(line string) *panicID {
	found := strings.Fields(strings.TrimPrefix(line, "panic "))
	id := new(panicID)
	if len(found) != len(id) {
		return nil
	}
	for i := range id {
		var err error
		if id[i], err = strconv.ParseUint(found[i], 10, 64); err != nil {
			return nil
		}
	}
	return id
}
