// SPDX-License-Identifier: Apache-2.0

// Command measured says what the runtime knows of its memory and its garbage collector, and stands still
// before that can change: its Ps are held, in system calls that the runtime does not hear of. Its argument says how:
//
//	stats     one P, which all that could change it would need
//	limit     the same, with a memory limit that rules (from Go 1.19 on)
//	stopping  the world is to be stopped, but one P does not
package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

var (
	pipe  [2]int
	stats runtime.MemStats
	out   [1 << 14]byte
	kept  [][]byte
	waste []*[1 << 10]*int
	held  int32
	pool  = sync.Pool{New: newPooled}
)

// The pool keeps more than fit into its first ring.
const (
	pooled  = 21
	victims = 3
)

func newPooled() interface{} { return new([100]byte) }

// fill puts objects into the pool, some of which were there before the last collection.
func fill() {
	for i := 0; i < victims; i++ {
		pool.Put(newPooled())
	}
	runtime.GC()
	for i := 0; i < pooled; i++ {
		pool.Put(newPooled())
	}
}

//go:nosplit
func hold() {
	var b [1]byte
	for {
		syscall.RawSyscall(syscall.SYS_READ, uintptr(pipe[0]), uintptr(unsafe.Pointer(&b)), 1)
	}
}

type line struct{ text []byte }

func (l *line) number(name string, n uint64) {
	l.text = append(l.text, ", \""...)
	l.text = append(l.text, name...)
	l.text = append(l.text, "\": "...)
	l.text = strconv.AppendUint(l.text, n, 10)
}

func (l *line) numbers(name string, ring []uint64, count, last int) {
	l.text = append(l.text, ", \""...)
	l.text = append(l.text, name...)
	l.text = append(l.text, "\": ["...)
	for i := 0; i < count; i++ {
		if i > 0 {
			l.text = append(l.text, ", "...)
		}
		l.text = strconv.AppendUint(l.text, ring[(last-i+len(ring))%len(ring)], 10)
	}
	l.text = append(l.text, "]"...)
}

// report writes into memory that is there already, and nothing else runs meanwhile.
func report(percent int, limit int64) {
	l := line{out[:0]}
	m := &stats
	runtime.ReadMemStats(m)
	l.text = append(l.text, `{"percent": `...)
	l.text = strconv.AppendInt(l.text, int64(percent), 10)
	l.text = append(l.text, `, "limit": `...)
	l.text = strconv.AppendInt(l.text, limit, 10)
	l.number("marked", marked())
	l.number("pooled", pooled)
	l.number("victims", victims)
	l.number("HeapAlloc", m.HeapAlloc)
	l.number("NextGC", m.NextGC)
	l.number("LastGC", m.LastGC)
	l.number("NumGC", uint64(m.NumGC))
	l.number("NumForcedGC", uint64(m.NumForcedGC))
	l.number("PauseTotalNs", m.PauseTotalNs)
	l.number("cpu", uint64(m.GCCPUFraction*1e6))
	l.numbers("PauseNs", m.PauseNs[:], 16, int(m.NumGC+255)%256)
	l.numbers("PauseEnd", m.PauseEnd[:], 16, int(m.NumGC+255)%256)
	l.number("heap_inuse_bytes", m.HeapInuse)
	l.number("heap_idle_bytes", m.HeapIdle)
	l.number("heap_released_bytes", m.HeapReleased)
	l.number("heap_sys_bytes", m.HeapSys)
	l.number("stack_inuse_bytes", m.StackInuse)
	l.number("stack_sys_bytes", m.StackSys)
	l.number("mspan_inuse_bytes", m.MSpanInuse)
	l.number("mspan_sys_bytes", m.MSpanSys)
	l.number("mcache_inuse_bytes", m.MCacheInuse)
	l.number("mcache_sys_bytes", m.MCacheSys)
	l.number("buck_hash_sys_bytes", m.BuckHashSys)
	l.number("gc_sys_bytes", m.GCSys)
	l.number("other_sys_bytes", m.OtherSys)
	l.number("sys_bytes", m.Sys)
	l.text = append(l.text, "}\nREADY\n"...)
	syscall.RawSyscall(syscall.SYS_WRITE, 1, uintptr(unsafe.Pointer(&l.text[0])), uintptr(len(l.text)))
}

// work has some collections behind it: those that it has asked for, and others.
func work() {
	for i := 0; i < 20; i++ {
		kept = append(kept, make([]byte, 1<<20))
	}
	for i := 0; i < 20000; i++ {
		waste = append(waste[:i%100], new([1 << 10]*int))
	}
	for i := 0; i < 3; i++ {
		runtime.GC()
	}
	debug.FreeOSMemory()
}

func measured(limit int64) {
	runtime.GOMAXPROCS(1)
	percent := 73
	if limit > 0 {
		percent = -1
	}
	debug.SetGCPercent(percent)
	work()
	fill()
	limit = setLimit(limit)
	marked() // the first time, it makes what it needs
	report(percent, limit)
	hold()
}

func ready() {
	os.Stdout.WriteString("READY\n")
}

func stopping() {
	runtime.GOMAXPROCS(2)
	go func() {
		for atomic.LoadInt32(&held) == 0 {
			runtime.Gosched()
		}
		ready()
		runtime.GC()
	}()
	runtime.Gosched()
	atomic.StoreInt32(&held, 1)
	hold()
}

func main() {
	if syscall.Pipe(pipe[:]) != nil {
		panic("no pipe")
	}
	switch os.Args[1] {
	case "stats":
		measured(0)
	case "limit":
		measured(40 << 20)
	case "stopping":
		stopping()
	}
}
