// SPDX-License-Identifier: Apache-2.0

// again does as it is told, a word a line, and lives on: it says for each what is true of it. It ends
// with its input, or with a panic.
//
//	call              calls (*Store).corrupt
//	last              calls it, and exits with status 3
//	die-after         calls it, and panics
//	die-beside        calls it while another goroutine panics
//	hot N             calls it N times, and says how long that took
//	recover WAY       recovers from a panic
//	storm N           recovers from N
//	goroutines N, threads N, files N, memory BYTES, busy SECONDS
//	idle SECONDS      makes no progress, but for the answer
//	heard             says how many SIGCONT it got since it was asked first
//	die               panics
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"subjects/truth"
	"sync/atomic"
	"syscall"
	"time"
)

// Store is what is corrupt.
type Store struct{ name string }

//go:noinline
func (s *Store) corrupt(n int) int {
	return len(s.name) + n
}

// facts of what was done.
type facts struct {
	Did         string `json:"did"`
	Goroutine   int64  `json:"goroutine"`
	Function    string `json:"function,omitempty"` // that panicked
	Message     string `json:"message,omitempty"`
	Nanoseconds int64  `json:"nanoseconds,omitempty"`
}

var (
	kept  []interface{}
	store = &Store{"shop"}
	heard = make(chan os.Signal, 100)
	ways  = map[string]func(){
		"error":  func() { panic(errors.New("out of stock")) },
		"nil":    func() { panic(fmt.Sprint((*Store)(nil).name)) },
		"index":  func() { panic([]int{}[len(os.Args)]) },
		"nested": func() { defer func() { panic("second") }(); panic("first") },
		"again":  func() { defer func() { panic(recover()) }(); panic("once") },
		"goexit": func() { defer func() { _ = recover() }(); runtime.Goexit() },
	}
)

// fallen recovers as servers do.
//
//go:noinline
func fallen(way func(), ret *string) {
	defer func() {
		if r := recover(); r != nil {
			*ret = fmt.Sprint(r)
		}
	}()
	way()
}

// end calls it last.
func end(word string) {
	if word == "die-beside" {
		var calling int32
		go func() {
			for atomic.LoadInt32(&calling) == 0 {
			}
			panic("told to")
		}()
		time.Sleep(10 * time.Millisecond)
		atomic.StoreInt32(&calling, 1)
	}
	kept = append(kept[:0], store.corrupt(1))
	if word == "last" {
		os.Exit(3)
	}
	if word == "die-beside" {
		select {}
	}
	panic("told to")
}

func do(word string, n int) facts {
	f := facts{Did: word, Goroutine: truth.Goid()}
	began := time.Now()
	switch word {
	case "call", "hot":
		for i := 0; i <= n; i++ {
			kept = append(kept[:0], store.corrupt(i))
		}
		f.Nanoseconds = int64(time.Since(began))
	case "storm":
		for i := 0; i < n; i++ {
			fallen(ways["error"], &f.Message)
		}
		f.Nanoseconds = int64(time.Since(began))
	case "goroutines":
		for i := 0; i < n; i++ {
			go func() { select {} }()
		}
	case "threads":
		for i := 0; i < n; i++ {
			go func() { runtime.LockOSThread(); select {} }()
		}
	case "files":
		for i := 0; i < n; i++ {
			file, _ := os.Open(os.Args[0])
			kept = append(kept, file)
		}
	case "memory":
		bytes := make([]byte, n)
		for i := range bytes {
			bytes[i] = 1
		}
		kept = append(kept, bytes)
	case "busy":
		for time.Since(began) < time.Duration(n)*time.Second {
		}
	case "idle":
		time.Sleep(time.Duration(n) * time.Second)
	case "die":
		panic("told to")
	}
	return f
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		n := 0
		if len(words) > 1 {
			n, _ = strconv.Atoi(words[1])
		}
		done := make(chan facts)
		go func() {
			var f facts
			if words[0] == "heard" {
				signal.Notify(heard, syscall.SIGCONT)
				f = facts{Did: words[0], Message: fmt.Sprint(len(heard))}
			} else if words[0] == "recover" {
				f = facts{Did: words[0], Goroutine: truth.Goid()}
				fallen(ways[words[1]], &f.Message)
			} else if words[0] == "last" || strings.HasPrefix(words[0], "die-") {
				end(words[0])
			} else {
				f = do(words[0], n)
			}
			done <- f
		}()
		if words[0] == "recover" && words[1] == "goexit" {
			out.Encode(facts{Did: words[0]})
			continue
		}
		out.Encode(<-done)
	}
}
