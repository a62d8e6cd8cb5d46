// SPDX-License-Identifier: Apache-2.0

package main

import (
	"reflect"
	"subjects/truth"
	"time"
)

func init() {
	cases = append(cases,
		func() { go receive(make(chan int), 0) },
		func() { go receiveStruct(make(chan struct{})) },
		func() { go receiveNamed(make(chan *named)) },
		func() { go receive(make(chan int, 3), 3) },
		func() { go send(make(chan int), 0, 0) },
		func() { go send(full(2), 2, 2) },
		func() { go receiveNil() },
		func() { go sendNil() },
		func() { go selectNone() },
		func() { go selectTwo(make(chan int), make(chan string)) },
		func() { go selectBoth(make(chan int)) },
		func() { go selectTwice(make(chan int)) },
		func() { go selectTwiceBoth(make(chan int)) },
		func() { go selectNil(make(chan int)) },
		func() { go selectFull(full(1)) },
		func() { go selectMany(100) },
		func() { shared := make(chan int); await(func() { go selectOne(shared); go selectOne(shared) }, 2) },
		func() { go after() },
		func() { go timer() },
		func() { go ticker() },
		func() { go selectAfter(make(chan int)) },
		func() { go sleep() },
		func() { go sleepForever() },
	)
}

func full(n int) chan int {
	c := make(chan int, n)
	for i := 0; i < n; i++ {
		c <- i
	}
	return c
}

func channel(c interface{}, operation string, length, capacity int) truth.Thing {
	return truth.Thing{"address": address(c), "operation": operation, "len": length,
		"cap": capacity, "element_type": reflect.TypeOf(c).Elem().String(), "closed": false, "nil": nil, "when": nil, "unreadable": nil}
}

func plain(c interface{}, operation string, length, capacity int) truth.Thing {
	t := channel(c, operation, length, capacity)
	t["kind"] = "channel"
	return t
}

func among(cases ...truth.Thing) truth.Thing {
	return truth.Thing{"kind": "select", "cases": cases, "operation": nil, "unreadable": nil}
}

func receive(c chan int, capacity int) {
	truth.Below("receive", "chan receive").Waits(plain(c, "receive", 0, capacity))
	<-c
}

func receiveStruct(c chan struct{}) {
	truth.Below("receive of nothing", "chan receive").Waits(plain(c, "receive", 0, 0))
	<-c
}

type named struct{ n int }

func receiveNamed(c chan *named) {
	truth.Below("receive of a pointer", "chan receive").Waits(plain(c, "receive", 0, 0))
	<-c
}

func send(c chan int, length, capacity int) {
	truth.Below("send", "chan send").Waits(plain(c, "send", length, capacity))
	c <- 1
}

func receiveNil() {
	var c chan int
	truth.Below("receive from nil", "chan receive (nil chan)").Waits(truth.Thing{"kind": "channel", "operation": "receive", "nil": true, "address": nil})
	<-c
}

func sendNil() {
	var c chan int
	truth.Below("send to nil", "chan send (nil chan)").Waits(truth.Thing{"kind": "channel", "operation": "send", "nil": true, "address": nil})
	c <- 1
}

func selectNone() {
	truth.Below("select without cases", "select (no cases)").Waits(among())
	select {}
}

func selectTwo(a chan int, b chan string) {
	truth.Below("select of two", "select").Waits(among(channel(a, "receive", 0, 0), channel(b, "send", 0, 0)))
	select {
	case <-a:
	case b <- "x":
	}
}

func selectBoth(c chan int) {
	truth.Below("select to send and receive on one", "select").Waits(among(channel(c, "receive", 0, 0), channel(c, "send", 0, 0)))
	select {
	case <-c:
	case c <- 1:
	}
}

func selectTwice(c chan int) {
	truth.Below("select to receive twice from one", "select").Waits(among(channel(c, "receive", 0, 0), channel(c, "receive", 0, 0)))
	select {
	case <-c:
	case <-c:
	}
}

func selectTwiceBoth(c chan int) {
	truth.Below("select to send once and receive twice", "select").Waits(among(channel(c, "receive", 0, 0), channel(c, "receive", 0, 0), channel(c, "send", 0, 0)))
	select {
	case <-c:
	case c <- 1:
	case <-c:
	}
}

func selectNil(c chan int) {
	var none chan int
	truth.Below("select with a nil channel", "select").Waits(among(channel(c, "receive", 0, 0)))
	select {
	case <-c:
	case none <- 1:
	}
}

func selectFull(c chan int) {
	other := make(chan int, 5)
	truth.Below("select with a full channel", "select").Waits(among(channel(c, "send", 1, 1), channel(other, "receive", 0, 5)))
	select {
	case c <- 1:
	case <-other:
	}
}

func selectOne(c chan int) {
	own := make(chan bool)
	truth.Below("select with a shared channel", "select").Waits(among(channel(c, "receive", 0, 0), channel(own, "receive", 0, 0)))
	select {
	case <-c:
	case <-own:
	}
}

func selectMany(n int) {
	var cases []reflect.SelectCase
	var things []truth.Thing
	for i := 0; i < n; i++ {
		c := make(chan int, i%3)
		one := reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}
		if i%4 == 0 {
			c = full(i % 5)
			one = reflect.SelectCase{Dir: reflect.SelectSend, Chan: reflect.ValueOf(c), Send: reflect.ValueOf(i)}
			things = append(things, channel(c, "send", i%5, i%5))
		} else {
			things = append(things, channel(c, "receive", 0, i%3))
		}
		cases = append(cases, one)
	}
	truth.Below("select of many", "select").Waits(among(things...))
	reflect.Select(cases)
}

// A channel that a timer sends on: what is known of it depends on the release.
func timed(c interface{}, period time.Duration) truth.Thing {
	return truth.Thing{"address": address(c), "operation": "receive", "closed": false, "element_type": "time.Time",
		"timer": time.Now().Add(farAway).UTC(), "period": period}
}

func only(t truth.Thing) truth.Thing {
	t["kind"] = "channel"
	return t
}

func after() {
	c := time.After(farAway)
	truth.Below("after", "chan receive").Waits(only(timed(c, 0)))
	<-c
}

func timer() {
	t := time.NewTimer(farAway)
	truth.Below("timer", "chan receive").Waits(only(timed(t.C, 0)))
	<-t.C
}

func ticker() {
	t := time.NewTicker(farAway)
	truth.Below("ticker", "chan receive").Waits(only(timed(t.C, farAway)))
	<-t.C
}

func selectAfter(c chan int) {
	t := time.NewTimer(farAway)
	truth.Below("select with a timer", "select").Waits(among(channel(c, "receive", 0, 0), timed(t.C, 0)))
	select {
	case <-c:
	case <-t.C:
	}
}

func sleep() {
	truth.Below("sleep", "sleep").Waits(truth.Thing{"kind": "timer", "timer": time.Now().Add(farAway).UTC(), "address": nil})
	time.Sleep(farAway)
}

func sleepForever() {
	truth.Below("sleep for as long as can be", "sleep").Waits(truth.Thing{"kind": "timer", "address": nil, "unreadable": nil})
	time.Sleep(1<<63 - 1)
}
