// SPDX-License-Identifier: Apache-2.0

// Command timed has timers that run in so many hours, made on all its Ps, and says which: function, hours, period
// in hours.
package main

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

const crowd = 2000 // more than gosnap reads

func one()       {}
func two()       {}
func five()      {}
func earlier()   {}
func postponed() {}
func stopped()   {}
func many()      {}

func hours(n int) time.Duration { return time.Duration(n) * time.Hour }

// made calls f on some P.
func made(f func()) {
	done := make(chan int)
	go func() {
		f()
		done <- 1
	}()
	<-done
}

func main() {
	runtime.GOMAXPROCS(4)
	began := time.Now().UnixNano()
	made(func() { time.AfterFunc(hours(5), five) })
	made(func() { time.AfterFunc(hours(1), one) })
	made(func() { time.AfterFunc(hours(2), two) })
	made(func() { time.AfterFunc(hours(90), earlier).Reset(hours(6)) })
	made(func() { time.AfterFunc(hours(5)/2, postponed).Reset(hours(7)) })
	made(func() { time.AfterFunc(hours(8)+hours(1)/3, stopped).Stop() })
	for i := crowd; i > 0; i-- {
		i := i
		made(func() { time.AfterFunc(hours(7+i), many) })
	}
	ticker := time.NewTicker(hours(3))
	go func() { <-ticker.C }()
	go time.Sleep(hours(4))
	time.Sleep(10 * time.Millisecond)
	fmt.Printf("{\"began\": %d, \"channel\": \"%p\", \"crowd\": %d}\nREADY\n", began, ticker.C, crowd)
	os.Stdout.Sync()
	select {}
}
