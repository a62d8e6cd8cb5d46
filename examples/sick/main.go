// SPDX-License-Identifier: Apache-2.0

// An example for gosnap: a small shop that has fallen ill.
//
// Customers order over HTTP. For each order the shop asks two suppliers for a price, takes
// an item from the inventory, and notes that in an audit log. Two things are wrong with it:
//
//   - (*inventory).reserve sends to the audit log while it holds the inventory's mutex. The
//     log's writer has given up after an error, so that the channel has filled up: one order
//     waits in that send for ever, and all others wait behind it for the mutex. Nothing is
//     printed, nothing uses the processor, and the health check still says that all is well.
//   - cheapest returns with the first supplier's answer. The slower one then has nobody to
//     send its price to, and its goroutine stays: a slow leak, one for each order.
//
// It prints READY when the illness has developed. Then, in another terminal:
//
//	gosnap PID
package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var customers = flag.Int("customers", 40, "how many order at the same time")

// entry is a line of the audit log.
type entry struct {
	item  string
	price int
}

// auditLog writes entries in the background, so that orders need not wait for the disk.
type auditLog struct {
	entries chan entry
	written int
}

var errDiskFull = errors.New("no space left on device")

func (l *auditLog) write(e entry) error {
	l.written++
	if l.written > 20 {
		return errDiskFull
	}
	return nil
}

func (l *auditLog) run() {
	for e := range l.entries {
		if err := l.write(e); err != nil {
			return // The illness begins here: from now on nobody receives.
		}
	}
}

// inventory is what the shop has in store.
type inventory struct {
	mu    sync.Mutex
	stock map[string]int
	log   *auditLog

	waiting int64 // orders that are in reserve, for main to see
}

var errSoldOut = errors.New("sold out")

func (inv *inventory) reserve(item string, price int) error {
	atomic.AddInt64(&inv.waiting, 1)
	defer atomic.AddInt64(&inv.waiting, -1)
	inv.mu.Lock()
	defer inv.mu.Unlock()
	if inv.stock[item] == 0 {
		return errSoldOut
	}
	inv.stock[item]--
	inv.log.entries <- entry{item, price} // Full, and the mutex is held: all stop here.
	return nil
}

// supplier asks one supplier for a price. The further ones take longer.
func supplier(distance int, item string, price chan<- int) {
	time.Sleep(time.Duration(distance) * 5 * time.Millisecond)
	price <- 100*len(item) + distance // The second has nobody to send to: it leaks.
}

func cheapest(item string) int {
	price := make(chan int)
	go supplier(1, item, price)
	go supplier(2, item, price)
	return <-price
}

type shop struct {
	inventory *inventory
}

func (s *shop) order(w http.ResponseWriter, r *http.Request) {
	item, customer := strings.TrimPrefix(r.URL.Path, "/order/"), r.Header.Get("Customer")
	price := cheapest(item)
	if err := s.inventory.reserve(item, price); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	fmt.Fprintf(w, "%s reserved for customer %s at %d\n", item, customer, price)
}

func (s *shop) health(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, "ok")
}

// customer orders again and again, until the shop no longer answers.
func customer(url string, id int) {
	for {
		request, err := http.NewRequest("GET", url+"/order/lamp", nil)
		if err != nil {
			return
		}
		request.Header.Set("Customer", strconv.Itoa(id))
		request.Header.Set("Cookie", "session=only-this-customer-knows")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return
		}
		answer.Body.Close()
	}
}

func main() {
	flag.Parse()
	inv := &inventory{
		stock: map[string]int{"lamp": 1000000},
		log:   &auditLog{entries: make(chan entry, 16)},
	}
	go inv.log.run()

	s := &shop{inv}
	http.HandleFunc("/order/", s.order)
	http.HandleFunc("/health", s.health)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "sick:", err)
		os.Exit(1)
	}
	go http.Serve(listener, nil)

	url := "http://" + listener.Addr().String()
	for i := 0; i < *customers; i++ {
		go customer(url, 4001+i)
	}
	for atomic.LoadInt64(&inv.waiting) < int64(*customers) {
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Printf("READY %s pid %d\n", url, os.Getpid())
	select {}
}
