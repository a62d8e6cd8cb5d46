// SPDX-License-Identifier: Apache-2.0

// Subject: services as people run them, each under the load of its own clients: services NAME STATE GC, or
// services list. STATE is healthy or the name of a sickness that the service has under its load. GC is the interval at
// which it collects garbage, or never.
//
// It says READY when the state is reached, and before that, of a sick one, which findings are right. Then it answers:
//
//	after N   when so many operations more are done: {"operations": N}
//	ripe      when a sick service has been so for long, and the runtime knows that
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"
	"subjects/truth"
	"sync/atomic"
	"time"
)

// A service is registered in services by the init function of its file.
type service struct {
	healthy func()
	sick    map[string]func() sickness // by name: what starts it
}

// A sickness comes once the service is at work.
type sickness struct {
	reached  func() bool // asked again and again
	findings func() []finding
	spins    bool // it uses a processor, and what is to be found needs no time
}

// A finding is what may be said of a sick service. One that is not Aside must be said.
type finding struct {
	Kinds   []string `json:"kinds"`   // one of these
	Names   []string `json:"names"`   // functions that its sentence has; "a|b": one of these
	Holders []int64  `json:"holders"` // goroutines, one of which it names, and no other as holder; none: there is no holder
	Aside   bool     `json:"aside,omitempty"`
}

var services = map[string]service{}

const (
	poll    = 10 * time.Millisecond
	warm    = 200              // operations until a healthy service is looked at
	settled = 20               // operations after the sickness was reached
	long    = 25 * time.Second // until somebody takes a core of what is sick
)

var operations int64

// operation counts one that is done. Health checks are such operations, so that a sick service has some.
func operation() {
	atomic.AddInt64(&operations, 1)
}

func after(n int64) int64 {
	goal := atomic.LoadInt64(&operations) + n
	for atomic.LoadInt64(&operations) < goal {
		time.Sleep(time.Millisecond)
	}
	return atomic.LoadInt64(&operations)
}

// collects returns the interval of collections, or 0.
func collects(word string) time.Duration {
	if word == "never" {
		debug.SetGCPercent(-1)
		return 0
	}
	interval, err := time.ParseDuration(word)
	if err != nil {
		panic(err)
	}
	go func() {
		for range time.Tick(interval) {
			runtime.GC()
		}
	}()
	return interval
}

func list() {
	states := map[string][]string{}
	for name, s := range services {
		for sick := range s.sick {
			states[name] = append(states[name], sick)
		}
		sort.Strings(states[name])
	}
	truth.Say(states)
}

// answers reads what the test wants until its end.
func answers(ripe time.Time) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var n int64 = 1
		if lines.Text() == "ripe" {
			time.Sleep(time.Until(ripe))
		} else if _, err := fmt.Sscanf(strings.TrimSpace(lines.Text()), "after %d", &n); err != nil {
			panic(err)
		}
		truth.Say(map[string]int64{"operations": after(n)})
	}
	os.Exit(0)
}

func main() {
	if os.Args[1] == "list" {
		list()
		return
	}
	interval := collects(os.Args[3])
	ripens := long + 3*interval // A duration is known from the second collection on.
	health()
	if os.Args[2] == "healthy" {
		services[os.Args[1]].healthy()
		after(warm)
	} else {
		state := services[os.Args[1]].sick[os.Args[2]]()
		for !state.reached() {
			time.Sleep(poll)
		}
		after(settled)
		truth.Say(map[string]interface{}{"findings": state.findings()})
		if state.spins {
			ripens = 0
		}
	}
	truth.Ready()
	answers(time.Now().Add(ripens))
}
