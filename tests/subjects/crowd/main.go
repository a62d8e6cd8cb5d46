// SPDX-License-Identifier: Apache-2.0

// Subject: crowd N makes N goroutines that serve requests, each with values of its own, half of
// them on one stack, a quarter on another, and so on; and one that panics.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"subjects/truth"
	"sync"
	"sync/atomic"
	"time"
)

type user struct {
	Name   string
	Age    int
	Active bool
	Score  float64
}

type request struct {
	ID      uint64
	Method  string
	Path    string
	Header  map[string]string
	Body    []byte
	Tags    []string
	Timeout time.Duration
	User    *user
}

type reply struct {
	Status int
	Err    error
}

const deepest = 9

var (
	at    int64 // goroutines that are about to wait
	never = make(chan int)
	lock  sync.Mutex
	used  = make(chan interface{}, 1)
	errNo = errors.New("not yet")
)

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	debug.SetGCPercent(400)
	lock.Lock()
	for i := 1; i <= n; i++ {
		go serve(newRequest(i), depth(i))
	}
	go panics(newRequest(0))
	for atomic.LoadInt64(&at) < int64(n)+1 {
		time.Sleep(time.Millisecond)
	}
	runtime.GC()
	debug.SetGCPercent(-1)
	truth.Ready()
	time.Sleep(24 * time.Hour)
}

func newRequest(i int) *request {
	return &request{
		ID:      uint64(i),
		Method:  "GET",
		Path:    fmt.Sprintf("/orders/%d", i),
		Header:  map[string]string{"Accept": "text/html", "X-Request": strconv.Itoa(i)},
		Body:    []byte(fmt.Sprintf("order=%d", i)),
		Tags:    []string{"shop", "blue"},
		Timeout: time.Duration(i) * time.Millisecond,
		User:    &user{fmt.Sprintf("user%d", i), i % 100, i%2 == 0, float64(i) / 8},
	}
}

func depth(i int) int {
	n := 0
	for ; i%2 == 0 && n < deepest; i /= 2 {
		n++
	}
	return n
}

//go:noinline
func serve(r *request, depth int) {
	result := reply{Status: 200 + depth, Err: errNo}
	answer := make(chan reply, 4)
	answer <- result
	query(r, depth, answer)
	use(r, depth, result, answer)
}

//go:noinline
func query(r *request, depth int, answer chan reply) {
	rows := []int{depth, depth + 1, depth + 2}
	if depth > 0 {
		query(r, depth-1, answer)
	} else {
		wait(r.ID, r.Path)
	}
	use(r, depth, rows, answer)
}

//go:noinline
func wait(id uint64, path string) {
	atomic.AddInt64(&at, 1)
	if id%2 == 0 {
		lock.Lock()
	} else {
		<-never
	}
	use(id, path)
}

//go:noinline
func panics(r *request) {
	defer func() {
		atomic.AddInt64(&at, 1)
		<-never
	}()
	panic(fmt.Sprintf("request %d", r.ID))
}

//go:noinline
func use(values ...interface{}) { used <- values }
