// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"subjects/truth"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type index struct {
	name string
	seen map[string]int
	next *index
}

// More than the process has now; with little, its core is small.
func limitMemory(more uint64) {
	f, err := os.Open("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	var pages uint64
	if _, err := fmt.Fscan(f, &pages); err != nil {
		panic(err)
	}
	limit := pages*uint64(os.Getpagesize()) + more
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		panic(err)
	}
}

//go:noinline
func (x *index) add(word string) {
	dying(1, "x.seen", "main.nilMap")
	x.seen[word]++
}

func nilMap() {
	go func(x *index) {
		x.add("word")
	}(&index{name: "words"})
	select {}
}

type cache struct {
	entries [40]int
	hits    int
}

type shop struct {
	name  string
	cache *cache
}

//go:noinline
func (s *shop) order(n int) int {
	dying(1, "s.cache", "")
	return s.cache.hits + n
}

//go:noinline
func (s *shop) title() string {
	dying(1, "s", "")
	return s.name
}

//go:noinline
func (s *shop) count() {
	dying(1, "s.cache", "")
	s.cache.hits++
}

var nowhere *cache

//go:noinline
func global() int {
	dying(1, "main.nowhere", "")
	return nowhere.hits
}

//go:noinline
func pick(list []string, i int) string {
	dying(1, "list", "")
	return list[i]
}

//go:noinline
func cut(text string, from, to int) string {
	dying(1, "text", "")
	return text[from:to]
}

type node struct {
	name  string
	left  *node
	right *node
	price [4]*node
}

//go:noinline
func (n *node) deep() string {
	dying(1, "n.left.right", "")
	return n.left.right.name
}

//go:noinline
func (n *node) priced() string {
	dying(1, "n.price[2]", "")
	return n.price[2].name
}

// nearly uses a pointer that is not nil, so that none is to be named.
//
//go:noinline
func nearly(at uintptr) string {
	dying(1, "", "")
	return (*node)(unsafe.Pointer(at)).name
}

//go:noinline
func behind(p **node) string {
	dying(1, "*p", "")
	return (*p).name
}

//go:noinline
func (n *node) walk() int {
	count := 0
	dying(1, "n", "") // after the last
	for n.name != "" {
		n = n.right
		count++
	}
	return count
}

type words struct {
	all  []string
	name string
}

//go:noinline
func (w *words) at(i int) string {
	dying(1, "w.all", "")
	return w.all[i]
}

//go:noinline
func (w *words) put(i int) {
	dying(1, "w.all", "")
	w.all[i] = "new"
}

//go:noinline
func sum(numbers []int, n int) int {
	total := 0
	dying(2, "numbers", "")
	for i := 0; i < n; i++ {
		total += numbers[i]
	}
	return total
}

//go:noinline
func beyond(list []int, text string) int {
	dying(1, "list", "")
	return list[len(text)]
}

//go:noinline
func escaped() *index {
	var x index
	keep = append(keep, &x)
	dying(1, "x.seen", "")
	x.seen["a"] = 1
	return &x
}

var keep []*index

//go:noinline
func captured(s *shop) func() int {
	return func() int {
		dying(1, "s.cache", "")
		return s.cache.hits
	}
}

//go:noinline
func between(a, b, text string) string {
	dying(1, "", "")
	return text[len(a):len(b)]
}

//go:noinline
func divide(a, b int) int {
	dying(1, "", "")
	return a / b
}

//go:noinline
func assert(v interface{}) string {
	dying(1, "", "")
	return v.(string)
}

//go:noinline
func throwOut(v interface{}) {
	dying(1, "", "")
	panic(v)
}

type failure struct {
	code int
	why  string
}

func (f *failure) Error() string { return fmt.Sprintf("failure %d: %s", f.code, f.why) }

type name struct{ first, last string }

func (n name) String() string { return n.first + " " + n.last }

type plain struct{ a, b int }

type number int

func nested() {
	defer func() {
		throwOut(errors.New("the second"))
	}()
	panic("the first")
}

func repanicked() {
	defer func() {
		panic(recover())
	}()
	dying(1, "", "")
	panic(&failure{7, "again"})
}

func recoveredOnce() {
	func() {
		defer func() { recover() }()
		panic("not this one")
	}()
	throwOut("but this one")
}

func thirdOfThree() {
	defer func() {
		defer func() {
			throwOut("third\nof three")
		}()
		panic(name{"the", "second"})
	}()
	panic(fmt.Errorf("first: %w", os.ErrNotExist))
}

func whileExiting() {
	defer throwOut("while it exits")
	runtime.Goexit()
}

func inGoroutine() {
	go func() { throwOut("in a goroutine") }()
	select {}
}

//go:noinline
func forever(n int) int {
	if n < 0 {
		return 0
	}
	return andEver(n+1) + 1
}

//go:noinline
func andEver(n int) int {
	return forever(n+1) + 2
}

var shared = map[int]int{}

func write(on map[int]int, begin *sync.WaitGroup) {
	begin.Wait()
	for i := 0; ; i++ {
		on[i&3] = i
	}
}

func unlock(m *sync.Mutex) {
	dying(1, "", "")
	m.Unlock()
}

func kill(s syscall.Signal) func() {
	return func() {
		dying(1, "", "")
		syscall.Kill(os.Getpid(), s)
		for {
			time.Sleep(time.Hour) // without a deadlock
		}
	}
}

func fault() {
	dying(1, "", "")
	*(*int)(unsafe.Pointer(uintptr(0xdead000))) = 1
}

var (
	hoard [][]byte
	table = map[string]func(){"one": func() {}}
)

// Ways in which the end is that of the whole program: it does not wait for a word.
var ending = map[string]bool{"deadlock": true, "deadlock-locks": true, "goexit": true}

func waitForWord() {
	fmt.Printf("{\"way\":\"%s\",\"goroutine\":1}\nREADY\n", way)
	bufio.NewReader(os.Stdin).ReadString('\n')
}

func init() {
	for name, run := range map[string]func(){
		"nil-map":      nilMap,
		"nil-field":    func() { (&shop{name: "corner"}).order(3) },
		"nil-receiver": func() { (*shop)(nil).title() },
		"nil-store":    func() { (&shop{name: "corner"}).count() },
		"nil-global":   func() { global() },
		"nil-function": func() {
			f := table["none"]
			dying(1, "f", "")
			f()
		},
		"nil-deep":        func() { (&node{left: &node{}}).deep() },
		"nil-element":     func() { (&node{}).priced() },
		"nil-listed":      func() { listed(2) },
		"nil-behind":      func() { behind(new(*node)) },
		"nearly-nil":      func() { nearly(16) },
		"nil-loop":        func() { (&node{name: "a", right: &node{name: "b"}}).walk() },
		"nil-captured":    func() { captured(&shop{})() },
		"nil-map-local":   func() { escaped() },
		"bad-field":       func() { (&words{all: []string{"a"}}).at(4) },
		"bad-store":       func() { (&words{all: []string{"a"}}).put(4) },
		"bad-order":       func() { between("four", "two", "long enough") },
		"bad-length":      func() { beyond([]int{1}, "text") },
		"bad-loop":        func() { sum([]int{1, 2, 3}, 5) },
		"bad-index":       func() { pick([]string{"a", "b", "c"}, 5) },
		"bad-slice":       func() { cut("words", 3, 9) },
		"divide":          func() { divide(1, 0) },
		"assertion":       func() { assert(17) },
		"panic-string":    func() { throwOut("on purpose") },
		"panic-lines":     func() { throwOut("more\nthan one\n") },
		"panic-error":     func() { throwOut(errors.New("an error")) },
		"panic-own":       func() { throwOut(&failure{3, "no bread"}) },
		"panic-stringer":  func() { throwOut(name{"Ada", "L"}) },
		"panic-struct":    func() { throwOut(plain{1, 2}) },
		"panic-pointer":   func() { throwOut(&plain{1, 2}) },
		"panic-int":       func() { throwOut(number(41)) },
		"panic-float":     func() { throwOut(2.5) },
		"panic-complex":   func() { throwOut(complex(1, -2)) },
		"panic-nil":       func() { throwOut(nil) },
		"panic-goroutine": inGoroutine,
		"nested":          nested,
		"repanicked":      repanicked,
		"recovered-once":  recoveredOnce,
		"third":           thirdOfThree,
		"while-exiting":   whileExiting,
		"close-closed": func() {
			c := make(chan int)
			close(c)
			dying(1, "c", "")
			close(c)
		},
		"send-closed": func() {
			c := make(chan int)
			close(c)
			dying(1, "c", "")
			c <- 1
		},
		"make-negative": func() {
			n := int(truth.Goid()) - 1000
			dying(1, "", "")
			hoard = make([][]byte, n)
		},
		"stack-overflow": func() {
			if os.Getenv("DEEP") == "" {
				debug.SetMaxStack(2 << 20)
			}
			dying(1, "", "")
			forever(0)
		},
		"out-of-memory": func() {
			limitMemory(384 << 20)
			dying(2, "", "")
			for {
				hoard = append(hoard, []byte(strings.Repeat("x", 64<<20)))
			}
		},
		"map-writes": func() {
			var begin sync.WaitGroup
			begin.Add(1)
			for i := 0; i < 4; i++ {
				go write(shared, &begin)
			}
			dying(0, "", "")
			begin.Done()
			select {}
		},
		"unlock":    func() { unlock(&sync.Mutex{}) },
		"fault":     fault,
		"kill-abrt": kill(syscall.SIGABRT),
		"kill-segv": kill(syscall.SIGSEGV),
		"kill-quit": kill(syscall.SIGQUIT),
		"kill-bus":  kill(syscall.SIGBUS),
		"kill-sys":  kill(syscall.SIGSYS),
		"kill-fpe":  kill(syscall.SIGFPE),
		"kill-ill":  kill(syscall.SIGILL),
		"deadlock": func() {
			waitForWord()
			<-make(chan int)
		},
		"deadlock-locks": func() {
			waitForWord()
			var m sync.Mutex
			m.Lock()
			m.Lock()
		},
		"goexit": func() {
			waitForWord()
			runtime.Goexit()
		},
	} {
		ways[name] = run
	}
}
