// SPDX-License-Identifier: Apache-2.0

// Subject: goroutines that stand in as many ways as there are names of functions, and then a death, if its
// argument asks for one. Where a line ends in more, the test adds lines and closures.
package main

import (
	"errors"
	"net"
	"os"
	"runtime/debug"
	"sort"
	"subjects/alike/v2/part"
	"subjects/truth"
	"sync"
	"time"
)

var (
	locks   = "semacquire|sync.Mutex.Lock|sync.RWMutex.Lock|sync.RWMutex.RLock"
	mu      sync.Mutex
	rw      sync.RWMutex
	group   sync.WaitGroup
	cond    = sync.NewCond(&sync.Mutex{})
	never   = make(chan int) // nobody sends
	full    = make(chan int) // nobody receives
	started int
	sink    func() int
	glob    = func() { //more
		truth.Below("caseGlob", "chan receive")
		<-never
	}
)

func begin(f func()) {
	started++
	go f()
	truth.Await(started)
}

func caseSend() { //more
	go func() { //more
		truth.Below("caseSend", "chan send")
		full <- 1
	}()
}

func small(c chan int) int { return <-c } // is inlined

func caseReceive(c chan int) { //more
	truth.Below("caseReceive", "chan receive")
	println(small(c))
}

func caseSelect() { //more
	truth.Below("caseSelect", "select")
	select {
	case <-never:
	case full <- 1:
	}
}

func caseNothing() { //more
	truth.Below("caseNothing", "select (no cases)")
	select {}
}

type account struct {
	sync.Mutex
	name string
}

func (a *account) caseLock() { //more
	truth.Below("caseLock", locks)
	a.Lock()
	a.Unlock()
}

func caseReadLock() { //more
	truth.Below("caseReadLock", locks)
	rw.RLock()
	rw.RUnlock()
}

func caseGroup() { //more
	truth.Below("caseGroup", "semacquire|sync.WaitGroup.Wait")
	group.Wait()
}

func caseCond() { //more
	cond.L.Lock()
	truth.Below("caseCond", "sync.Cond.Wait")
	cond.Wait()
}

func caseSleep() { //more
	truth.Below("caseSleep", "sleep")
	time.Sleep(time.Hour)
}

func caseAccept(l net.Listener) { //more
	truth.Below("caseAccept", "IO wait")
	l.Accept()
}

func caseRecursion(n int) { //more
	if n > 0 {
		caseRecursion(n - 1)
		return
	}
	truth.Below("caseRecursion", "chan receive")
	<-never
}

type putter interface{ Put(int) }

type box struct{ part.Queue }

func casePromoted(p putter) { //more
	truth.Below("casePromoted", "chan send")
	p.Put(1)
}

func caseDeferred() { //more
	defer func() { //more
		defer func() { //more
			truth.Below("caseDeferred", "chan receive")
			<-never
		}()
	}()
}

type byNever []int

func (b byNever) Len() int      { return len(b) }
func (b byNever) Swap(i, j int) {}
func (b byNever) Less(i, j int) bool { //more
	truth.Below("caseLess", "chan receive")
	<-never
	return false
}

func caseHandled() { //more
	part.Handler(func() { //more
		truth.Below("caseHandled", "chan receive")
		<-never
	})()
}

type worker struct{ c chan int }

func (w worker) run(c chan int) { //more
	truth.Below("caseRun", "chan receive")
	<-c
}

func stand(recursion int) { //more
	mu.Lock()
	rw.Lock()
	group.Add(1)
	a := &account{}
	a.Lock()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	begin(caseSend)
	for _, f := range []func(){caseSelect, caseNothing, a.caseLock, caseReadLock, caseGroup, caseCond, caseSleep,
		caseDeferred, caseHandled, glob} {
		begin(f)
	}
	begin(func() { caseReceive(never) }) //more
	begin(func() { caseAccept(l) })
	begin(func() { caseRecursion(recursion) })
	begin(func() { casePromoted(&box{part.Queue{Items: make(chan int)}}) })
	begin(func() { sort.Sort(byNever{1, 2, 3}) })
	started++
	go worker{}.run(never)
	truth.Await(started)
	newer()
}

func crashNil(a *account) { a.name = "x" } //more

func crashIndex(list []int, i int) int { return list[i] } //more

func crashDivide(i int) int { return 1 / i } //more

func crashClose(c chan int) { //more
	close(c)
	close(c)
}

func crashOwn(text string) { //more
	panic(errors.New(text))
}

func crashUnlock() { //more
	var m sync.Mutex
	m.Unlock()
}

func crashConversion(x interface{}) { println(x.(putter)) } //more

func crashMap(m map[string]int) { m["x"] = 1 } //more

func crashOther(a *account) { a.name = "y" } //more

func even(n int) int { return 1 + odd(n+1) } //more

func odd(n int) int { return 1 + even(n+1) } //more

func handle(f func()) { //more
	defer func() { //more
		if err := recover(); err != nil {
			panic(err)
		}
	}()
	f()
}

var deaths = map[string]func(){
	"nil":        func() { crashNil(nil) }, //more
	"other":      func() { crashOther(nil) },
	"index":      func() { crashIndex(nil, len(os.Args)) },
	"divide":     func() { crashDivide(len(os.Args) - 2) },
	"close":      func() { crashClose(make(chan int)) },
	"own":        func() { crashOwn(os.Args[0]) },
	"unlock":     crashUnlock,
	"conversion": func() { crashConversion(os.Args) },
	"map":        func() { crashMap(nil) },
	"overflow":   func() { debug.SetMaxStack(1 << 20); even(0) },
	"again":      func() { handle(func() { crashNil(nil) }) },
	"deadlock":   func() { <-never },
}

func main() { //more
	if os.Args[1] != "stand" {
		deaths[os.Args[1]]()
	}
	truth.EndWithStdin()
	stand(len(os.Args) * 5)
	truth.Ready()
	<-make(chan int)
}
