// SPDX-License-Identifier: Apache-2.0

// Subject: a process that has overwritten its own runtime. It holds the only P in a system
// call that the scheduler does not know of, so that the runtime does not notice.
//
//	damaged KIND SEED
package main

import (
	"debug/elf"
	"math/rand"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"subjects/truth"
	"syscall"
	"unsafe"
)

type slice struct {
	array    *[1 << 20]uintptr
	len, cap int
}

var symbols = map[string]elf.Symbol{}

func init() {
	runtime.LockOSThread()
}

// at is the memory of a variable of the runtime.
func at(name string) []byte {
	s, ok := symbols["runtime."+name]
	if !ok {
		panic("no symbol " + name)
	}
	return memory(uintptr(s.Value), int(s.Size))
}

func memory(address uintptr, size int) []byte {
	var b []byte
	h := (*slice)(unsafe.Pointer(&b))
	*(*uintptr)(unsafe.Pointer(&h.array)) = address
	h.len, h.cap = size, size
	return b
}

// kinds return what is to be overwritten. Nothing of it may be in use until the process
// is killed: no goroutine runs but this one, and the collector is off.
var kinds = map[string]func() [][]byte{
	"allgs-pointer": func() [][]byte { return [][]byte{at("allgs")[:8]} },
	"allgs-length":  func() [][]byte { return nil },
	"allgs-elements": func() [][]byte {
		h := allgs()
		return [][]byte{memory(uintptr(unsafe.Pointer(h.array)), h.len*8)}
	},
	"allgs-some": func() [][]byte {
		h := allgs()
		return [][]byte{memory(uintptr(unsafe.Pointer(h.array))+uintptr(h.len*4), h.len*2)}
	},
	"g": func() [][]byte {
		var all [][]byte
		for _, g := range others() {
			all = append(all, memory(g, 300))
		}
		return all
	},
	// Bounds and sched stay plausible in part: only the higher bytes of some words go.
	"g-words": func() [][]byte {
		var all [][]byte
		for _, g := range others() {
			for n := 0; n < 3; n++ {
				all = append(all, memory(g+uintptr(rand.Intn(40)*8), 2))
			}
		}
		return all
	},
	"stacks": func() [][]byte {
		var all [][]byte
		for _, g := range others() {
			all = append(all, stack(g))
		}
		return all
	},
	"stack-words": func() [][]byte {
		var all [][]byte
		for _, g := range others() {
			s := stack(g)
			for n := 0; n < 50; n++ {
				i := rand.Intn(len(s)/8) * 8
				all = append(all, s[i:i+8])
			}
		}
		return all
	},
	// Every word is the same return address: frames without end, were there no bound.
	"stack-cycle":    func() [][]byte { return nil },
	"moduledata":     func() [][]byte { return [][]byte{at("firstmoduledata")} },
	"moduledata-few": func() [][]byte { return words(at("firstmoduledata"), 4) },
	"allm":           func() [][]byte { return [][]byte{at("allm")} },
	"buildversion":   func() [][]byte { return [][]byte{at("buildVersion")} },
}

func words(b []byte, n int) [][]byte {
	var all [][]byte
	for ; n > 0; n-- {
		i := rand.Intn(len(b)/8) * 8
		all = append(all, b[i:i+8])
	}
	return all
}

func allgs() *slice {
	return (*slice)(unsafe.Pointer(&at("allgs")[0]))
}

// others are the goroutines but the caller, whose g must stay whole.
func others() []uintptr {
	var all []uintptr
	var here byte
	me := uintptr(unsafe.Pointer(&here))
	h := allgs()
	for i := 0; i < h.len; i++ {
		g := h.array[i]
		bounds := (*[2]uintptr)(*(*unsafe.Pointer)(unsafe.Pointer(&g)))
		if bounds[0] != 0 && !(bounds[0] < me && me < bounds[1]) {
			all = append(all, g)
		}
	}
	return all
}

func stack(g uintptr) []byte {
	bounds := (*[2]uintptr)(*(*unsafe.Pointer)(unsafe.Pointer(&g)))
	return memory(bounds[0], int(bounds[1]-bounds[0]))
}

//go:noinline
func descend(n int, ready chan bool) int {
	if n == 0 {
		ready <- true
		return <-make(chan int)
	}
	return descend(n-1, ready) + 1
}

func load() {
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		panic(err)
	}
	list, err := f.Symbols()
	if err != nil {
		panic(err)
	}
	for _, s := range list {
		if strings.HasPrefix(s.Name, "runtime.") {
			symbols[s.Name] = s
		}
	}
}

func main() {
	kind := os.Args[1]
	seed, err := strconv.ParseInt(os.Args[2], 10, 64)
	if err != nil || kinds[kind] == nil {
		for kind := range kinds {
			os.Stdout.WriteString(kind + "\n")
		}
		os.Exit(2)
	}
	rand.Seed(seed)
	load()
	ready := make(chan bool)
	for i := 0; i < 100; i++ {
		go descend(i, ready)
		<-ready
	}
	truth.Await(0)
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(1)
	set := uint64(1) << (uint(syscall.SIGURG) - 1)
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 0, uintptr(unsafe.Pointer(&set)), 0, 8, 0, 0)

	targets := kinds[kind]()
	noise := make([]byte, 1<<20)
	rand.Read(noise)
	cycle := uintptr(symbols["runtime.gopark"].Value) + 100
	gs := others()
	done := []byte("READY\n")
	switch kind {
	case "allgs-length":
		allgs().len = 1 << 40
		allgs().cap = 1 << 40
		*(*uintptr)(unsafe.Pointer(&at("allglen")[0])) = 1 << 40
	case "stack-cycle":
		for _, g := range gs {
			s := stack(g)
			for i := 0; i+8 <= len(s); i += 8 {
				*(*uintptr)(unsafe.Pointer(&s[i])) = cycle
			}
		}
	}
	for i, t := range targets {
		copy(t, noise[i*977%(len(noise)/2):])
	}
	syscall.RawSyscall(syscall.SYS_WRITE, 1, uintptr(unsafe.Pointer(&done[0])), uintptr(len(done)))
	for {
		syscall.RawSyscall(syscall.SYS_PAUSE, 0, 0, 0)
	}
}
