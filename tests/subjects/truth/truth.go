// SPDX-License-Identifier: Apache-2.0

// Package truth lets a subject state what is true about its own goroutines:
// where each is, in the words of runtime.Callers, and what it waits for. The
// statement goes to standard output, a JSON object a line, and ends with READY.
//
// A subject ends when its standard input does, or when its parent dies.
package truth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Frame is one call as runtime.CallersFrames gives it, innermost first.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Inlined  bool   `json:"inlined,omitempty"`
}

// Record is the statement of one goroutine.
type Record struct {
	Goid   int64    `json:"goid"`
	Name   string   `json:"name"`
	Wait   []string `json:"wait,omitempty"` // acceptable statuses, in the words of a traceback
	Tid    int      `json:"tid,omitempty"`  // when the goroutine is wired to a thread
	Frames []Frame  `json:"frames"`
	C      []string `json:"c,omitempty"` // C functions on the stack, innermost first
	// Deeper is true when the goroutine runs on, in calls that it cannot know.
	Deeper bool `json:"deeper,omitempty"`
	// For is what the goroutine waits for, as waiting_for of the document has it.
	For Thing `json:"for,omitempty"`
}

// Thing is members of waiting_for; nil: it must not be there.
type Thing map[string]interface{}

// Later moves the innermost line of the statement on.
func (r *Record) Later(lines int) *Record {
	for i := range r.Frames {
		if r.Frames[i].File != "" {
			r.Frames[i].Line += lines
			break
		}
	}
	return r
}

// In adds the statuses that a traceback may give the goroutine.
func (r *Record) In(statuses ...string) *Record {
	r.Wait = statuses
	return r
}

// Waits adds what it is that the goroutine waits for. Without the lock: who waited for
// that would look as if he were at the lock that he is about to state. Await sees the
// goroutine parked before anybody reads this.
func (r *Record) Waits(thing Thing) *Record {
	r.For = thing
	return r
}

// Thread adds, as the last thing, that the caller is wired to the thread it runs on.
func (r *Record) Thread() *Record {
	r.Tid = syscall.Gettid()
	atomic.AddInt32(&wired, 1)
	return r
}

// Wired is how many have added that.
func Wired() int {
	return int(atomic.LoadInt32(&wired))
}

var (
	mu      sync.Mutex
	records []*Record
	wired   int32
)

func init() {
	const prSetPdeathsig = 1
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetPdeathsig, uintptr(syscall.SIGKILL), 0)
}

// Goid is the calling goroutine's id.
func Goid() int64 {
	var buf [64]byte
	fields := strings.Fields(string(buf[:runtime.Stack(buf[:], false)]))
	id, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		panic(err)
	}
	return id
}

// Below says that the caller parks on the line below this call, and waits for
// one of the things named, as a traceback names it ("chan receive|select").
// Nothing but the innermost line differs between this call and that one.
func Below(name, wait string) *Record {
	r := here(name, 1)
	r.Wait = strings.Split(wait, "|")
	add(r)
	return r
}

// Within says that the caller is going to run functions, named innermost first,
// the last of which it calls on the line below. With none named, it may be
// anywhere in what it calls there.
func Within(name string, inner ...string) *Record {
	r := here(name, 1)
	for i := len(inner) - 1; i >= 0; i-- {
		r.Frames = append([]Frame{{Function: inner[i]}}, r.Frames...)
	}
	r.Deeper = len(inner) == 0
	add(r)
	return r
}

func here(name string, lines int) *Record {
	// Deep recursion needs them all.
	pcs := make([]uintptr, 64)
	for {
		n := runtime.Callers(3, pcs)
		if n < len(pcs) {
			pcs = pcs[:n]
			break
		}
		pcs = make([]uintptr, 4*len(pcs))
	}
	r := &Record{Goid: Goid(), Name: name}
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.Function != "" {
			r.Frames = append(r.Frames, Frame{f.Function, f.File, f.Line, f.Func == nil})
		}
		if !more {
			break
		}
	}
	r.Frames[0].Line += lines
	return r
}

func add(r *Record) {
	mu.Lock()
	records = append(records, r)
	mu.Unlock()
}

// Count is how many goroutines have made their statement.
func Count() int {
	mu.Lock()
	defer mu.Unlock()
	return len(records)
}

// Stated tells whether a goroutine has made the statement of this name.
func Stated(name string) bool {
	mu.Lock()
	defer mu.Unlock()
	for _, r := range records {
		if r.Name == name {
			return true
		}
	}
	return false
}

// stacks is the traceback that people see: it leaves out runtime frames, wrappers, and
// the runtime's own goroutines.
func stacks() []byte {
	buf := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			return buf[:n]
		}
		buf = make([]byte, 2*len(buf))
	}
}

// statuses reads the status of every goroutine from the runtime's own traceback.
func statuses() map[int64]string {
	found := make(map[int64]string)
	for _, line := range bytes.Split(stacks(), []byte("\n")) {
		var id int64
		if !bytes.HasPrefix(line, []byte("goroutine ")) {
			continue
		}
		fmt.Sscanf(string(line), "goroutine %d ", &id)
		open, shut := bytes.IndexByte(line, '['), bytes.IndexByte(line, ']')
		if open < 0 || shut < open {
			continue
		}
		status := string(line[open+1 : shut])
		if comma := strings.IndexByte(status, ','); comma >= 0 {
			status = status[:comma]
		}
		found[id] = status
	}
	return found
}

// late names the first record whose goroutine is not where it said.
func late(n int) string {
	mu.Lock()
	defer mu.Unlock()
	if len(records) < n {
		return fmt.Sprintf("%d of %d goroutines have stated themselves", len(records), n)
	}
	now := statuses()
	for _, r := range records {
		if len(r.Wait) == 0 {
			continue
		}
		status, there := now[r.Goid]
		found := false
		for _, w := range r.Wait {
			found = found || w == status
		}
		if !there || !found {
			return fmt.Sprintf("goroutine %d (%s) is in %q, not %q", r.Goid, r.Name, status, r.Wait)
		}
	}
	return ""
}

// Await returns when n goroutines have made their statement and each waits for
// what it said. It ends the process when that does not come true.
func Await(n int) {
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		reason := late(n)
		if reason == "" {
			return
		}
		if time.Since(begin) > time.Minute {
			fmt.Println("NOT READY:", reason)
			os.Exit(3)
		}
	}
}

// Say prints one object of the statement.
func Say(v interface{}) {
	line, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(append(line, '\n'))
}

// Ready prints all records and the word that the harness waits for.
func Ready() {
	mu.Lock()
	defer mu.Unlock()
	for _, r := range records {
		Say(r)
	}
	os.Stdout.WriteString("READY\n")
}

// settled tells whether no goroutine but the caller is about to run.
func settled() bool {
	self := Goid()
	for id, status := range statuses() {
		if id != self && (status == "runnable" || status == "running") {
			return false
		}
	}
	return true
}

// settle waits for that, but not for ever: some never rest.
func settle() {
	for i := 0; i < 1000 && !settled(); i++ {
		time.Sleep(time.Millisecond)
	}
}

// Announce prints the statement once n goroutines are in their places, and
// parks for good. Run it as a goroutine of its own when main is one of them.
func Announce(n int) {
	Await(n)
	settle()
	Say(map[string]interface{}{"shown": string(stacks()), "shown_by": Goid()})
	Ready()
	select {}
}

// EndWithStdin ends the process at the end of standard input. The read blocks a
// thread, so subjects whose threads are counted do without it.
func EndWithStdin() {
	go func() {
		var buf [1]byte
		for {
			if n, err := syscall.Read(0, buf[:]); n == 0 || (err != nil && err != syscall.EINTR) {
				os.Exit(0)
			}
		}
	}()
}
