// SPDX-License-Identifier: Apache-2.0

// Subject: a shop whose goroutines wait for different things, with labels and variables that the
// examples of gosnap-filter(7) ask for. Each states its name. Everything stands still once READY is
// printed.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"runtime"
	"runtime/pprof"
	"subjects/asked/sql"
	"subjects/truth"
	"sync"
	"time"
)

type customer struct {
	User  string
	Cents int64
}

type request struct {
	URL     *url.URL
	Header  map[string][]string
	Timeout time.Duration
	Items   []int
	Next    *request
	*customer
}

var (
	never    = make(chan int)
	pool     = &sql.Pool{Name: "orders", Free: make(chan int), Limits: sql.Limits{MaxOpen: 10}, Stats: &sql.Stats{WaitCount: 3}}
	lock     sync.Mutex
	notFound = errors.New("no such order")
)

//go:noinline
func handle(req *request, attempt int, err error) {
	truth.Below("handle "+req.URL.Path, "chan receive")
	<-never
	runtime.KeepAlive(req)
	runtime.KeepAlive(attempt)
	runtime.KeepAlive(err)
}

func serve(path, tenant, user string, cents int64, attempt int, err error) func() {
	address, _ := url.Parse(path + "?page=2")
	req := &request{
		URL:     address,
		Header:  map[string][]string{"X-Tenant": {tenant}},
		Timeout: 90 * time.Second,
		Items:   make([]int, attempt, 10),
		customer: &customer{User: user, Cents: cents},
	}
	req.Next = req
	labels := pprof.Labels("tenant", tenant, "http.route", path)
	return func() {
		pprof.Do(context.Background(), labels, func(context.Context) { handle(req, attempt, err) })
	}
}

func query() {
	pprof.Do(context.Background(), pprof.Labels("tenant", "acme"), func(context.Context) {
		pool.Conn("select 1")
	})
}

func locked() {
	truth.Below("locked", "semacquire|sync.Mutex.Lock")
	lock.Lock()
}

func chooses() {
	other := make(chan int)
	truth.Below("chooses", "select")
	select {
	case <-never:
	case other <- 1:
	}
}

func sleeps() {
	truth.Below("sleeps", "sleep")
	time.Sleep(1000 * time.Hour)
}

func wired() {
	runtime.LockOSThread()
	truth.Below("wired", "chan receive")
	<-never
}

func deep(n int) {
	if n > 0 {
		deep(n - 1)
		return
	}
	truth.Below("deep", "chan receive")
	<-never
}

func accepts() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	truth.Say(map[string]interface{}{"listens": listener.Addr().String(), "never": fmt.Sprintf("%p", never), "lock": fmt.Sprintf("%p", &lock)})
	truth.Below("accepts", "IO wait")
	listener.Accept()
}

func main() {
	truth.EndWithStdin()
	lock.Lock()
	starts := []func(){
		serve("/api/orders", "acme", "mallory", 4200, 3, notFound),
		serve("/api/carts", "globex", "alice", 0, 1, nil),
		serve("/health", "acme", "", 7, 0, nil),
		query, query, locked, locked, chooses, sleeps, wired, accepts,
		func() { deep(60) },
	}
	for _, start := range starts {
		before := truth.Count()
		go start()
		truth.Await(before + 1)
	}
	runtime.GC() // from here on, the runtime knows how long they have waited
	runtime.GC()
	truth.Ready()
	select {}
}
