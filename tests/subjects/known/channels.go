// SPDX-License-Identifier: Apache-2.0

package main

import "subjects/truth"

type job struct {
	ID   int
	Name string
}

var (
	offered  = make(chan job, 1)
	wanted   = make(chan string)
	selected = make(chan int)
	crowded  = make(chan int)
	unwanted = make(chan int)
)

const crowd = 70

var waiting int

// parked starts a goroutine that states itself before it waits, and returns when it does: with its
// id.
func parked(f func(id chan int64)) int64 {
	id := make(chan int64, 1)
	go f(id)
	waiting++
	truth.Await(waiting)
	return <-id
}

// channels lets goroutines wait, one after the other: the queues are in that order.
func channels() {
	offered <- job{0, "buffered"}
	queues := object{}
	for i := 1; i <= 3; i++ {
		j := job{i, "offered"}
		who := parked(func(id chan int64) {
			id <- truth.Goid()
			truth.Below("offers", "chan send")
			offered <- j
		})
		queues["offered"] = append(ids(queues["offered"]), []int64{who, int64(i)})
	}
	for i := 0; i < 3; i++ {
		who := parked(func(id chan int64) {
			id <- truth.Goid()
			truth.Below("wants", "chan receive")
			<-wanted
		})
		queues["wanted"] = append(ids(queues["wanted"]), who)
	}
	queues["selected"] = []int64{parked(func(id chan int64) {
		id <- truth.Goid()
		truth.Below("selects", "select")
		select {
		case selected <- 41:
		case <-unwanted:
		}
	}), 41}
	for i := 0; i < crowd; i++ {
		who := parked(func(id chan int64) {
			id <- truth.Goid()
			truth.Below("is one of many", "chan receive")
			<-crowded
		})
		queues["crowded"] = append(ids(queues["crowded"]), who)
	}
	extras["queues"] = queues
}

func ids(v interface{}) []interface{} {
	l, _ := v.([]interface{})
	return l
}

// blocked returns when a goroutine waits for a lock.
func blocked(lock func(), wait string) {
	parked(func(id chan int64) {
		id <- truth.Goid()
		truth.Below("waits for a lock", wait)
		lock()
	})
}
