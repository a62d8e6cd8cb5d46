// SPDX-License-Identifier: Apache-2.0

// Subject: an HTTP server under load, every answer of which can be checked. With the
// argument "churn" it starts and ends threads and goroutines as fast as it can, too.
package main

import (
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"subjects/truth"
	"sync"
	"time"
)

// answer is the value that a request's number asks for; the harness computes it, too.
func answer(n string) string {
	sum := []byte(n)
	for i := 0; i < 50; i++ {
		next := sha256.Sum256(sum)
		sum = next[:]
	}
	return fmt.Sprintf("%x", sum)
}

// compute spreads the work over goroutines, so that some are always about.
func compute(w http.ResponseWriter, r *http.Request) {
	n := r.URL.Query().Get("n")
	results := make(chan string, 4)
	for i := 0; i < cap(results); i++ {
		go func() { results <- answer(n) }()
	}
	first := <-results
	for i := 1; i < cap(results); i++ {
		if other := <-results; other != first {
			http.Error(w, "computers disagree", 500)
			return
		}
	}
	fmt.Fprint(w, first)
}

// threads starts and ends OS threads: a wired goroutine that returns takes its thread along.
func threads() {
	for {
		var wg sync.WaitGroup
		for i := 0; i < 8; i++ {
			wg.Add(1)
			go func() {
				runtime.LockOSThread()
				wg.Done()
			}()
		}
		wg.Wait()
	}
}

func goroutines() {
	for {
		var wg sync.WaitGroup
		for i := 0; i < 200; i++ {
			wg.Add(1)
			go func(depth int) {
				deeper(depth)
				wg.Done()
			}(i % 50)
		}
		wg.Wait()
	}
}

//go:noinline
func deeper(n int) int {
	if n == 0 {
		time.Sleep(time.Microsecond)
		return 0
	}
	return deeper(n-1) + 1
}

func main() {
	truth.EndWithStdin()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	if len(os.Args) > 1 && os.Args[1] == "churn" {
		go threads()
		go goroutines()
	}
	http.HandleFunc("/", compute)
	go http.Serve(l, nil)
	truth.Say(map[string]string{"address": l.Addr().String()})
	truth.Ready()
	select {}
}
