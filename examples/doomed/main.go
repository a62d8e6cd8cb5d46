// SPDX-License-Identifier: Apache-2.0

// An example for gosnap: the shop of examples/sick, in another week. It is well, and then it dies.
//
// Customers order over HTTP, and a goroutine counts what each town orders. (*statistics).open
// begins the record of a town that orders for the first time, and forgets to make its map. The first towns
// had theirs made by main. So all is well until somebody orders from a new one: then the whole shop
// panics, with all orders that it is working on, and the runtime's traceback says neither which
// town it was nor who ordered.
//
//	gosnap run -- ./doomed
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

var (
	customers = flag.Int("customers", 40, "how many order at the same time")
	orders    = flag.Int64("orders", 2000, "after how many somebody orders from a new town")
)

type order struct {
	item, town, customer string
}

// town has how often each item was ordered from there.
type town struct {
	name  string
	items map[string]int
}

type statistics struct {
	orders chan order
	towns  map[string]*town
}

// open begins the record of a town.
func (s *statistics) open(name string) {
	s.towns[name] = &town{name: name} // The error is here: its map is nil.
}

func (s *statistics) count(o order) {
	t := s.towns[o.town]
	t.items[o.item]++
}

func (s *statistics) run() {
	for o := range s.orders {
		if s.towns[o.town] == nil {
			s.open(o.town)
		}
		s.count(o)
	}
}

type shop struct {
	statistics *statistics
	taken      int64
}

func (s *shop) order(w http.ResponseWriter, r *http.Request) {
	o := order{
		item:     strings.TrimPrefix(r.URL.Path, "/order/"),
		town:     r.Header.Get("Town"),
		customer: r.Header.Get("Customer"),
	}
	if atomic.AddInt64(&s.taken, 1) == *orders {
		o.town = "Utopia"
	}
	s.statistics.orders <- o
	time.Sleep(time.Millisecond) // the rest of the work
	fmt.Fprintf(w, "%s is on its way to %s\n", o.item, o.town)
}

func customer(url string, id int) {
	towns := []string{"Berlin", "Lisbon", "Oslo"}
	for {
		request, err := http.NewRequest("GET", url+"/order/lamp", nil)
		if err != nil {
			return
		}
		request.Header.Set("Customer", fmt.Sprint(4000+id))
		request.Header.Set("Town", towns[id%len(towns)])
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
	st := &statistics{orders: make(chan order, 64), towns: map[string]*town{}}
	for _, name := range []string{"Berlin", "Lisbon", "Oslo"} {
		st.towns[name] = &town{name, map[string]int{}}
	}
	go st.run()

	http.HandleFunc("/order/", (&shop{statistics: st}).order)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "doomed:", err)
		os.Exit(1)
	}
	for id := 0; id < *customers; id++ {
		go customer("http://"+listener.Addr().String(), id)
	}
	fmt.Fprintln(os.Stderr, "doomed:", http.Serve(listener, nil))
}
