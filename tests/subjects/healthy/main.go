// SPDX-License-Identifier: Apache-2.0

// Subject: programs that are well, each at work as its argument says, until standard input ends.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"io/ioutil"
	"net"
	"net/http"
	"net/rpc"
	"os"
	"runtime"
	"sort"
	"strings"
	"subjects/truth"
	"sync"
	"sync/atomic"
	"time"
)

const clients = 24

var (
	programs = map[string]func(){}
	sink     int64
)

// work takes some microseconds.
//
//go:noinline
func work(n int) {
	s := 0
	for i := 0; i < n*100; i++ {
		s += i * i
	}
	atomic.AddInt64(&sink, int64(s))
}

// each runs f again and again in so many goroutines.
func each(n int, f func(i int)) {
	for i := 0; i < n; i++ {
		go func(i int) {
			for {
				f(i)
			}
		}(i)
	}
}

func init() {
	programs["mutex"] = func() {
		var mu sync.Mutex
		each(clients, func(int) {
			mu.Lock()
			work(50)
			mu.Unlock()
			work(5)
		})
	}
	programs["mutex held while it sends"] = func() {
		var mu sync.Mutex
		lines := make(chan int, 4)
		go func() {
			for range lines {
				work(40)
			}
		}()
		each(clients, func(i int) {
			mu.Lock()
			defer mu.Unlock()
			lines <- i
		})
	}
	programs["mutex held while a writer sleeps"] = func() {
		var mu sync.Mutex
		lines := make(chan int, 4)
		go func() {
			for {
				select {
				case <-lines:
					time.Sleep(2 * time.Millisecond)
				case <-time.After(time.Second):
				}
			}
		}()
		each(clients, func(i int) {
			mu.Lock()
			lines <- i
			mu.Unlock()
		})
	}
	programs["mutex held while it asks"] = func() {
		var mu sync.Mutex
		type question struct{ answer chan int }
		questions := make(chan question)
		each(2, func(int) {
			q := <-questions
			time.Sleep(time.Millisecond)
			q.answer <- 1
		})
		each(clients, func(int) {
			mu.Lock()
			defer mu.Unlock()
			q := question{make(chan int)}
			questions <- q
			<-q.answer
		})
	}
	programs["cache"] = func() {
		var rw sync.RWMutex
		entries := map[int]int{}
		each(clients, func(i int) {
			rw.RLock()
			n := entries[i]
			work(10)
			rw.RUnlock()
			if n%8 == 0 {
				rw.Lock()
				entries[i]++
				work(10)
				rw.Unlock()
			}
			entriesSeen(n)
		})
	}
	programs["shards"] = func() {
		var shards [8]struct {
			sync.Mutex
			n map[int]int
		}
		each(clients, func(i int) {
			s := &shards[(i*i)%3]
			s.Lock()
			defer s.Unlock()
			if s.n == nil {
				s.n = map[int]int{}
			}
			s.n[i]++
			work(20)
		})
	}
	programs["workers"] = func() {
		for {
			jobs, results := make(chan int), make(chan int, 4)
			var group sync.WaitGroup
			for i := 0; i < clients; i++ {
				group.Add(1)
				go func() {
					defer group.Done()
					for j := range jobs {
						work(j % 50)
						results <- j
					}
				}()
			}
			go func() {
				for i := 0; i < 2000; i++ {
					jobs <- i
				}
				close(jobs)
			}()
			go func() { group.Wait(); close(results) }()
			for range results {
			}
		}
	}
	programs["pipeline"] = func() {
		first := make(chan int)
		last := first
		for i := 0; i < 6; i++ {
			in, out := last, make(chan int, i)
			go func() {
				for v := range in {
					work(10)
					out <- v
				}
			}()
			last = out
		}
		go func() {
			for range last {
				work(30)
			}
		}()
		each(clients, func(i int) { first <- i })
	}
	programs["subscribers"] = func() {
		var mu sync.Mutex
		subscribers := map[chan string]bool{}
		for i := 0; i < clients; i++ {
			c := make(chan string, 1)
			mu.Lock()
			subscribers[c] = true
			mu.Unlock()
			go func() {
				for s := range c {
					work(len(s))
				}
			}()
		}
		each(4, func(i int) {
			mu.Lock()
			defer mu.Unlock()
			for c := range subscribers {
				select {
				case c <- "news":
				case <-time.After(time.Millisecond):
				}
			}
		})
	}
	programs["tickers"] = func() {
		var mu sync.Mutex
		for i := 0; i < clients; i++ {
			ticker := time.NewTicker(time.Duration(i+1) * time.Millisecond)
			go func() {
				for range ticker.C {
					mu.Lock()
					work(100)
					mu.Unlock()
				}
			}()
		}
	}
	programs["rate limit"] = func() {
		var mu sync.Mutex
		tokens := time.NewTicker(time.Millisecond)
		each(clients, func(int) {
			mu.Lock()
			<-tokens.C
			mu.Unlock()
			work(3)
		})
	}
	programs["condition"] = func() {
		var mu sync.Mutex
		cond := sync.NewCond(&mu)
		queue := 0
		each(clients, func(int) {
			mu.Lock()
			for queue == 0 {
				cond.Wait()
			}
			queue--
			mu.Unlock()
			work(20)
		})
		each(2, func(int) {
			mu.Lock()
			queue++
			mu.Unlock()
			cond.Signal()
			work(10)
		})
	}
	programs["semaphore"] = func() {
		slots := make(chan bool, 3)
		each(clients, func(int) {
			slots <- true
			defer func() { <-slots }()
			time.Sleep(time.Millisecond)
		})
	}
	programs["pool"] = func() {
		free := make(chan *strings.Builder, 4)
		for i := 0; i < cap(free); i++ {
			free <- new(strings.Builder)
		}
		each(clients, func(i int) {
			b := <-free
			b.Reset()
			fmt.Fprintf(b, "%d %v", i, b.Len())
			work(20)
			free <- b
		})
	}
	programs["one flight"] = func() {
		type call struct {
			done sync.WaitGroup
			n    int
		}
		var mu sync.Mutex
		calls := map[int]*call{}
		each(clients, func(i int) {
			key := i % 3
			mu.Lock()
			if c, there := calls[key]; there {
				mu.Unlock()
				c.done.Wait()
				return
			}
			c := new(call)
			c.done.Add(1)
			calls[key] = c
			mu.Unlock()
			time.Sleep(time.Millisecond)
			c.done.Done()
			mu.Lock()
			delete(calls, key)
			mu.Unlock()
		})
	}
	programs["ordered locks"] = func() {
		var locks [5]sync.Mutex
		each(clients, func(i int) {
			one, other := i%5, (i*3+1)%5
			order := []int{one, other}
			sort.Ints(order)
			locks[order[0]].Lock()
			defer locks[order[0]].Unlock()
			if order[0] != order[1] {
				locks[order[1]].Lock()
				defer locks[order[1]].Unlock()
			}
			work(30)
		})
	}
	programs["hand over hand"] = func() {
		type node struct {
			mu   sync.Mutex
			next *node
		}
		var list *node
		for i := 0; i < 8; i++ {
			list = &node{next: list}
		}
		each(clients, func(int) {
			at := list
			at.mu.Lock()
			for at.next != nil {
				next := at.next
				next.mu.Lock()
				at.mu.Unlock()
				at = next
				work(5)
			}
			at.mu.Unlock()
		})
	}
	programs["contexts"] = func() {
		each(clients, func(int) {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
			defer cancel()
			child, stop := context.WithCancel(ctx)
			defer stop()
			go func() { <-child.Done() }()
			<-ctx.Done()
		})
	}
	programs["group"] = func() {
		each(3, func(int) {
			var group sync.WaitGroup
			var once sync.Once
			var err error
			for i := 0; i < 8; i++ {
				group.Add(1)
				go func(i int) {
					defer group.Done()
					work(i * 10)
					once.Do(func() { err = io.EOF; work(50) })
				}(i)
			}
			group.Wait()
			_ = err
		})
	}
	programs["http"] = func() {
		var mu sync.Mutex
		seen := map[string]int{}
		http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			seen[r.RemoteAddr]++
			work(20)
			mu.Unlock()
			fmt.Fprintln(w, r.URL)
		})
		listener := listen()
		go http.Serve(listener, nil)
		transport := &http.Transport{MaxIdleConnsPerHost: clients, MaxConnsPerHost: 6}
		client := &http.Client{Transport: transport}
		each(clients, func(i int) {
			answer, err := client.Get(fmt.Sprintf("http://%s/%d", listener.Addr(), i))
			if err != nil {
				panic(err)
			}
			io.Copy(ioutil.Discard, answer.Body)
			answer.Body.Close()
		})
	}
	programs["echo"] = func() {
		listener := listen()
		go func() {
			for {
				c, err := listener.Accept()
				if err != nil {
					return
				}
				go io.Copy(c, c)
			}
		}()
		for i := 0; i < clients; i++ {
			c, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				panic(err)
			}
			lines := bufio.NewReader(c)
			go func() {
				for {
					fmt.Fprintln(c, "hello")
					if _, err := lines.ReadString('\n'); err != nil {
						return
					}
				}
			}()
		}
	}
	programs["rpc"] = func() {
		rpc.Register(new(Adder))
		listener := listen()
		go rpc.Accept(listener)
		client, err := rpc.Dial("tcp", listener.Addr().String())
		if err != nil {
			panic(err)
		}
		each(clients, func(i int) {
			var sum int
			if err := client.Call("Adder.Add", i, &sum); err != nil {
				panic(err)
			}
		})
	}
	programs["pipes"] = func() {
		for i := 0; i < clients; i++ {
			r, w := io.Pipe()
			go io.Copy(ioutil.Discard, r)
			go func() {
				for {
					fmt.Fprintln(w, "a line")
				}
			}()
		}
	}
	programs["log"] = func() {
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			panic(err)
		}
		var mu sync.Mutex
		out := bufio.NewWriter(null)
		each(clients, func(i int) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintln(out, i)
			out.Flush()
		})
	}
	programs["sync.Map"] = func() {
		var m sync.Map
		each(clients, func(i int) {
			m.Store(i, i)
			m.Range(func(k, v interface{}) bool { work(1); return true })
			m.Delete(i)
		})
	}
	programs["generations"] = func() {
		// Goroutines that each start the next, and wait for it.
		var start func(n int) chan bool
		start = func(n int) chan bool {
			done := make(chan bool)
			go func() {
				defer close(done)
				work(10)
				if n > 0 {
					<-start(n - 1)
				}
			}()
			return done
		}
		each(4, func(int) { <-start(20) })
	}
	programs["just begun"] = func() {
		each(4, func(i int) {
			answers := make(chan int)
			for n := 0; n < 8; n++ {
				go func(n int) { work(n * 20); answers <- n }(n)
			}
			for n := 0; n < 8; n++ {
				<-answers
			}
		})
	}
	programs["one processor"] = func() {
		runtime.GOMAXPROCS(1)
		each(20, func(int) {
			c := make(chan int)
			go func() {
				work(2000)
				c <- 1
			}()
			<-c
		})
	}
	programs["handed over"] = func() {
		var mu sync.Mutex
		each(2, func(int) {
			mu.Lock()
			go func() {
				time.Sleep(time.Millisecond)
				mu.Unlock()
			}()
			mu.Lock()
			mu.Unlock()
		})
	}
	programs["unlocked later"] = func() {
		var mu sync.Mutex
		each(1, func(int) {
			mu.Lock()
			time.AfterFunc(5*time.Millisecond, mu.Unlock)
			mu.Lock()
			mu.Unlock()
		})
	}
	programs["starting gate"] = func() {
		each(2, func(int) {
			var gate sync.Mutex
			gate.Lock()
			var group sync.WaitGroup
			for i := 0; i < 12; i++ {
				group.Add(1)
				go func() {
					defer group.Done()
					gate.Lock()
					gate.Unlock()
				}()
			}
			time.Sleep(time.Millisecond)
			gate.Unlock()
			group.Wait()
		})
	}
	programs["idle"] = func() {
		each(clients, func(int) { time.Sleep(time.Hour) })
		http.HandleFunc("/idle", func(http.ResponseWriter, *http.Request) {})
		go http.Serve(listen(), nil)
	}
	// Whoever has done his part waits for the lock of the one who waits for the others.
	programs["batches"] = func() {
		var mu sync.Mutex
		var group, counted sync.WaitGroup
		jobs := make(chan int, 4)
		done := 0
		for i := 0; i < 4; i++ {
			go func() {
				for n := range jobs {
					work(n)
					group.Done()
					mu.Lock()
					done++
					mu.Unlock()
					counted.Done()
				}
			}()
		}
		each(1, func(int) {
			mu.Lock()
			group.Add(4)
			counted.Add(4)
			for n := 0; n < 4; n++ {
				jobs <- n * 1000
			}
			group.Wait()
			mu.Unlock()
			counted.Wait()
		})
	}
	// Who stops the world is waiting by its status.
	programs["memory statistics"] = func() {
		each(4, func(int) { work(1000) })
		each(4, func(int) {
			begin, end := make(chan bool, 1), make(chan bool)
			go func() {
				select {
				case <-begin:
				case <-time.After(time.Hour):
				}
				var stats runtime.MemStats
				for i := 0; i < 100; i++ {
					runtime.ReadMemStats(&stats)
				}
				end <- true
			}()
			begin <- true
			<-end
		})
	}
	programs["garbage"] = func() {
		var mu sync.Mutex
		keep := map[int][]byte{}
		each(4, func(i int) {
			b := make([]byte, 100<<10)
			mu.Lock()
			keep[len(keep)%64] = b
			mu.Unlock()
		})
	}
	programs["recursion"] = func() {
		var mu sync.Mutex
		var down func(n int)
		down = func(n int) {
			if n == 0 {
				mu.Lock()
				defer mu.Unlock()
				work(10)
				return
			}
			down(n - 1)
		}
		each(clients, func(i int) { down(i * 5) })
	}
	programs["database"] = func() {
		sql.Register("fake", fake{})
		db, err := sql.Open("fake", "")
		if err != nil {
			panic(err)
		}
		db.SetMaxOpenConns(3)
		each(clients, func(int) {
			tx, err := db.Begin()
			if err != nil {
				panic(err)
			}
			time.Sleep(time.Millisecond)
			tx.Rollback()
		})
	}
	programs["limited group"] = func() {
		// As an errgroup with a limit.
		places := make(chan struct{}, 3)
		each(clients, func(i int) {
			var group sync.WaitGroup
			for n := 0; n < 4; n++ {
				places <- struct{}{}
				group.Add(1)
				go func() {
					defer func() { <-places; group.Done() }()
					work(i)
				}()
			}
			group.Wait()
		})
	}
	programs["clean-up"] = func() {
		each(clients, func(i int) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			<-ctx.Done()
			time.Sleep(2 * time.Millisecond)
			work(10)
			contextSeen(ctx)
		})
	}
	programs["hot shard"] = func() {
		var shards [16]sync.Mutex
		each(clients, func(i int) {
			s := &shards[3]
			if i == 0 {
				s = &shards[4]
			}
			s.Lock()
			work(20)
			s.Unlock()
		})
	}
	programs["lock and group"] = func() {
		var mu sync.Mutex
		each(4, func(i int) {
			var group sync.WaitGroup
			mu.Lock()
			defer mu.Unlock()
			for n := 0; n < 4; n++ {
				group.Add(1)
				go func() {
					defer group.Done()
					work(20)
				}()
			}
			group.Wait()
		})
	}
	programs["upgrade"] = func() {
		var rw sync.RWMutex
		n := 0
		each(clients, func(i int) {
			rw.RLock()
			old := n%16 == i%16
			rw.RUnlock()
			if old {
				rw.Lock()
				n++
				rw.Unlock()
			} else {
				work(10)
				rw.Lock()
				n += 3
				rw.Unlock()
			}
		})
	}
}

// Adder is a service.
type Adder struct{ mu sync.Mutex }

// Add takes a while.
func (a *Adder) Add(n int, ret *int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	work(10)
	*ret = n + 1
	return nil
}

//go:noinline
func entriesSeen(int) {}

//go:noinline
func contextSeen(context.Context) {}

// A fake is a database without anything in it.
type fake struct{}

func (fake) Open(string) (driver.Conn, error)    { return fake{}, nil }
func (fake) Prepare(string) (driver.Stmt, error) { return nil, io.EOF }
func (fake) Close() error                        { return nil }
func (fake) Begin() (driver.Tx, error)           { return fake{}, nil }
func (fake) Commit() error                       { return nil }
func (fake) Rollback() error                     { return nil }

func listen() net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	return listener
}

func main() {
	truth.EndWithStdin()
	go programs[os.Args[1]]()
	time.Sleep(20 * time.Millisecond)
	truth.Ready()
	select {}
}
