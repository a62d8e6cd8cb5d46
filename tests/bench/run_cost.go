// SPDX-License-Identifier: Apache-2.0

// run_cost works for a time and prints how much it did. For tests/bench/run_cost.
//
// usage: run_cost signals|compute|allocate|serve GOROUTINES SECONDS
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"syscall"
	"time"
)

var works = map[string]func(over func() bool) int{
	"compute": compute, "allocate": allocate, "serve": serve,
}

// compute is preempted only by signals.
func compute(over func() bool) int {
	done, x := 0, uint64(1)
	for !over() {
		for k := 0; k < 6400000; k++ {
			x = x*6364136223846793005 + 1
		}
		done++
	}
	if x == 0 {
		done++
	}
	return done
}

// allocate makes the collector stop everything again and again.
func allocate(over func() bool) int {
	done, kept := 0, map[int][]byte{}
	for !over() {
		for k := 0; k < 100; k++ {
			kept[k] = make([]byte, 512)
			done++
		}
	}
	return done
}

var address = func() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "hello %s", r.URL.Path)
	}))
	return "http://" + l.Addr().String() + "/x"
}

var once sync.Once
var url string
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}

// serve is a server and its clients.
func serve(over func() bool) int {
	once.Do(func() { url = address() })
	done := 0
	for !over() {
		r, err := client.Get(url)
		if err != nil {
			panic(err)
		}
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
		done++
	}
	return done
}

// signals prints what one costs that a thread sends itself, in nanoseconds: the median.
func signals() {
	runtime.LockOSThread()
	pid, tid := os.Getpid(), syscall.Gettid()
	var took []float64
	for round := 0; round < 40; round++ {
		began := time.Now()
		for i := 0; i < 500; i++ {
			syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(pid), uintptr(tid), uintptr(syscall.SIGURG))
		}
		took = append(took, float64(time.Since(began).Nanoseconds())/500)
	}
	sort.Float64s(took)
	fmt.Println(int(took[len(took)/2]))
}

func main() {
	if os.Args[1] == "signals" {
		signals()
		return
	}
	count, _ := strconv.Atoi(os.Args[2])
	seconds, _ := strconv.ParseFloat(os.Args[3], 64)
	end := time.Now().Add(time.Duration(seconds * 1e9))
	results := make(chan int)
	for i := 0; i < count; i++ {
		go func() {
			results <- works[os.Args[1]](func() bool { return time.Now().After(end) })
		}()
	}
	total := 0
	for i := 0; i < count; i++ {
		total += <-results
	}
	fmt.Println(total)
}
