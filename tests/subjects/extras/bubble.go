// SPDX-License-Identifier: Apache-2.0

//go:build go1.25
// +build go1.25

package main

import (
	"runtime"
	"strings"
	"subjects/truth"
	"testing"
	"testing/synctest"
	"time"
)

func init() {
	cases = append(cases, func() { go startBubbles() })
	// Both have three.
	cases = append(cases, func() {}, func() {}, func() {}, func() {}, func() {})
}

// startBubbles is a test as go test would run it, that never ends.
func startBubbles() {
	all := func(pattern, name string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: "bubbles", F: func(t *testing.T) {
		go bubble(t, "one", 90*time.Minute)
		bubble(t, "two", time.Second+time.Nanosecond)
	}}}, nil, nil)
}

func stateBubble(name string) {
	var buf [200]byte
	header := string(buf[:runtime.Stack(buf[:], false)])
	state("bubble", map[string]string{
		"name":   name,
		"now":    time.Now().UTC().Format(time.RFC3339Nano),
		"header": strings.SplitN(header, "\n", 2)[0],
	})
}

// bubble has a clock that was moved by d, and three goroutines that wait in it.
func bubble(t *testing.T, name string, d time.Duration) {
	outside := make(chan int) // whoever waits for it may go on at any time
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(d)
		go func() {
			stateBubble(name)
			truth.Below("bubble: outside", "chan receive")
			<-outside
		}()
		go func() {
			stateBubble(name)
			truth.Below("bubble: another hour", "sleep|sleep (durable)")
			time.Sleep(time.Hour)
		}()
		stateBubble(name)
		c := make(chan int)
		truth.Below("bubble: inside", "chan receive|chan receive (durable)")
		<-c
	})
}
