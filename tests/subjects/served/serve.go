// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"hash/crc32"
	"io/ioutil"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"subjects/truth"
	"sync"
	"sync/atomic"
	"time"
)

type connectionKey struct{}

var (
	answered    int64
	connections int64
)

// answer is what was sent, in short, and the number of the request on its connection: one
// that is lost, doubled or exchanged for another is noticed.
func answer(w http.ResponseWriter, r *http.Request) {
	body, err := ioutil.ReadAll(r.Body)
	if err != nil {
		fail("a request: %v", err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	// Garbage, for a collector that stops the world and sends signals to threads.
	copies := make(map[int][]byte)
	for i := 0; i < 16; i++ {
		copies[i] = append([]byte(nil), body...)
	}
	n := atomic.AddInt64(r.Context().Value(connectionKey{}).(*int64), 1)
	atomic.AddInt64(&answered, 1)
	fmt.Fprintf(w, "%08x %d", crc32.ChecksumIEEE(copies[len(body)%16]), n)
}

func listen() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	s := http.Server{
		Handler: http.HandlerFunc(answer),
		ConnContext: func(c context.Context, _ net.Conn) context.Context {
			atomic.AddInt64(&connections, 1)
			return context.WithValue(c, connectionKey{}, new(int64))
		},
	}
	go s.Serve(l)
	return l.Addr().String()
}

var (
	parked int64
	never  = make(chan int)
	held   sync.Mutex
)

// park makes n goroutines that wait for ever.
func park(n int) {
	held.Lock()
	for i := 0; i < n; i++ {
		go waiting(i)
	}
	for atomic.LoadInt64(&parked) < int64(n) {
		time.Sleep(time.Millisecond)
	}
}

//go:noinline
func waiting(i int) {
	atomic.AddInt64(&parked, 1)
	switch i % 4 {
	case 0:
		<-never
	case 1:
		select {
		case <-never:
		case <-make(chan int):
		}
	case 2:
		held.Lock()
	case 3:
		time.Sleep(24 * time.Hour)
	}
}

// threads makes n OS threads, which the runtime keeps: no more are wanted later.
func threads(n int) {
	var ready, done sync.WaitGroup
	leave := make(chan int)
	ready.Add(n)
	done.Add(n)
	for i := 0; i < n; i++ {
		go func() {
			defer done.Done()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ready.Done()
			<-leave
		}()
	}
	ready.Wait()
	close(leave)
	done.Wait()
}

// churn starts and ends threads and goroutines as fast as it can: a wired goroutine that
// returns takes its thread along.
func churn() {
	for {
		var wg sync.WaitGroup
		for i := 0; i < 100; i++ {
			wg.Add(1)
			go func(wired bool) {
				if wired {
					runtime.LockOSThread()
				}
				time.Sleep(time.Microsecond)
				wg.Done()
			}(i%12 == 0)
		}
		wg.Wait()
	}
}

func report([]string) interface{} {
	said := besides.report()
	said["answered"] = atomic.LoadInt64(&answered)
	said["connections"] = atomic.LoadInt64(&connections)
	return said
}

func collect([]string) interface{} {
	runtime.GC()
	debug.FreeOSMemory()
	return "collected"
}

func serve(arguments []string) {
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	goroutines := flags.Int("goroutines", 100, "goroutines that wait for ever")
	tied := flags.Int("tied", 0, "goroutines whose words change together")
	rivals := flags.Int("rivals", 0, "goroutines that want the same lock")
	churning := flags.Bool("churn", false, "threads and goroutines come and go")
	flags.Parse(arguments)
	threads(16)
	park(*goroutines)
	tie(*tied)
	rival(*rivals)
	besides.start()
	if *churning {
		go churn()
	}
	truth.Say(map[string]string{"address": listen()})
	truth.Ready()
	obey(commands{
		"report":  report,
		"beat":    func([]string) interface{} { besides.forget(); return "forgotten" },
		"collect": collect,
		"make":    conditions,
		"start":   func([]string) interface{} { go besides.startPrograms(); return "started" },
	})
}
