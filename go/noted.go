// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
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

// What Recover had snapshots taken of. The child of Monitor reads it in our memory as we die: nothing
// has to be sent to it then, or to be running. Its layout is that of gosnap-monitor(1), --noted.
var (
	noted  [16]panicID
	noting struct {
		sync.Mutex
		since [len(noted)]time.Time
		next  int
	}
)

func notedArgument() string {
	return "--noted=0x" + strconv.FormatUint(uint64(uintptr(unsafe.Pointer(&noted))), 16)
}

// note takes down that there is a snapshot. A goroutine has one panic that may end the program.
func note(id *panicID, began time.Time) {
	forget(id[0], time.Time{})
	noting.Lock()
	defer noting.Unlock()
	i := noting.next
	noting.next = (i + 1) % len(noted)
	noting.since[i] = began
	// It may be read at any moment: without a goroutine it is nobody's.
	atomic.StoreUint64(&noted[i][0], 0)
	for word := len(id) - 1; word >= 0; word-- {
		atomic.StoreUint64(&noted[i][word], id[word])
	}
}

// forget removes what is noted of a goroutine, unless it is of later than that.
func forget(goroutine uint64, before time.Time) {
	noting.Lock()
	defer noting.Unlock()
	for i := range noted {
		if noted[i][0] == goroutine && (before.IsZero() || noting.since[i].Before(before)) {
			atomic.StoreUint64(&noted[i][0], 0)
		}
	}
}

// parsePanic reads the words after "panic".
func parsePanic(line string) *panicID {
	words := strings.Fields(strings.TrimPrefix(line, "panic "))
	id := new(panicID)
	if len(words) != len(id) {
		return nil
	}
	for i := range id {
		var err error
		if id[i], err = strconv.ParseUint(words[i], 10, 64); err != nil {
			return nil
		}
	}
	return id
}
