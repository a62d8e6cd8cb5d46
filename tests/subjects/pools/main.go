// SPDX-License-Identifier: Apache-2.0

// Subject: pools of connections that are exhausted, as its arguments say: all of that at once. Everything
// stands still once READY is printed, and all have waited long.
package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"net/http"
	"os"
	"runtime"
	"subjects/truth"
	"sync"
	"time"
)

const many = 12 // goroutines that wait

var cases = map[string]func(){}

// parks runs f in a goroutine that states where it waits.
func parks(f func()) {
	before := truth.Count()
	go f()
	truth.Await(before + 1)
}

// A fake is a database without anything in it.
type fake struct{}

func (fake) Open(string) (driver.Conn, error)    { return fake{}, nil }
func (fake) Prepare(string) (driver.Stmt, error) { return nil, errors.New("no statements") }
func (fake) Close() error                        { return nil }
func (fake) Begin() (driver.Tx, error)           { return fake{}, nil }
func (fake) Commit() error                       { return nil }
func (fake) Rollback() error                     { return nil }

var (
	db, other *sql.DB
	opened    []*sql.DB // so that none is out of reach
	never     = make(chan int)
	client    = &http.Client{Transport: &http.Transport{MaxConnsPerHost: 2}}
)

func open(most int) *sql.DB {
	ret, err := sql.Open("fake", "")
	if err != nil {
		panic(err)
	}
	ret.SetMaxOpenConns(most)
	opened = append(opened, ret)
	return ret
}

// keeps has a connection, in a transaction.
//
//go:noinline
func keeps(db *sql.DB) {
	tx, err := db.Begin()
	if err != nil {
		panic(err)
	}
	truth.Below("receives", "chan receive")
	<-never
	tx.Rollback()
}

// locksWithOne takes a connection first, and then the lock.
//
//go:noinline
func locksWithOne(db *sql.DB, mu *sync.Mutex, ready *sync.WaitGroup) {
	tx, err := db.Begin()
	if err != nil {
		panic(err)
	}
	ready.Done()
	ready.Wait()
	mu.Lock()
	mu.Unlock()
	tx.Rollback()
}

// asksWithLock takes the lock first, and then a connection.
//
//go:noinline
func asksWithLock(ctx context.Context, db *sql.DB, mu *sync.Mutex, ready *sync.WaitGroup) {
	mu.Lock()
	defer mu.Unlock()
	ready.Done()
	ready.Wait()
	db.Conn(ctx)
}

// ring makes goroutines that have connections and one that has a lock wait for each other.
func ring(ctx context.Context) {
	db, mu, ready := open(2), new(sync.Mutex), new(sync.WaitGroup)
	ready.Add(3)
	go locksWithOne(db, mu, ready)
	go locksWithOne(db, mu, ready)
	go asksWithLock(ctx, db, mu, ready)
	ready.Wait()
	for i := 0; i < 3; i++ {
		go db.Conn(context.Background())
	}
}

type session struct {
	name string
	tx   *sql.Tx
}

//go:noinline
func (s *session) works() {
	<-never
	s.tx.Commit()
}

//go:noinline
func startsHelper(db *sql.DB, mu *sync.Mutex, ready *sync.WaitGroup) {
	tx, err := db.Begin()
	if err != nil {
		panic(err)
	}
	go (&session{"helper", tx}).works()
	ready.Done()
	ready.Wait()
	mu.Lock()
	mu.Unlock()
	tx.Rollback()
}

// gets makes so many ask a host that never answers.
func gets(client *http.Client, n int, host string) {
	listener, err := net.Listen("tcp", host+":0")
	if err != nil {
		panic(err)
	}
	go http.Serve(listener, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-never }))
	for i := 0; i < n; i++ {
		go client.Get("http://" + listener.Addr().String())
	}
}

func init() {
	sql.Register("fake", fake{})
	cases["sql"] = func() {
		db = open(2)
		parks(func() { keeps(db) })
		parks(func() { keeps(db) })
		for i := 0; i < many; i++ {
			go db.Conn(context.Background())
		}
	}
	cases["http"] = func() {
		gets(client, many, "127.0.0.1")
		gets(client, 3, "127.0.0.2")
	}

	cases["sql and a lock"] = func() { ring(context.Background()) }
	// A helper goes on with the transaction, which it has in a struct.
	cases["sql and a helper"] = func() {
		db, mu, ready := open(1), new(sync.Mutex), new(sync.WaitGroup)
		ready.Add(2)
		go startsHelper(db, mu, ready)
		go asksWithLock(context.Background(), db, mu, ready)
		ready.Wait()
	}
	// Until the transaction's context ends, or that of what waits.
	cases["sql with a deadline and a lock"] = func() {
		db, mu, ready := open(1), new(sync.Mutex), new(sync.WaitGroup)
		ctx, _ := context.WithTimeout(context.Background(), time.Hour)
		ready.Add(2)
		go func() {
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				panic(err)
			}
			ready.Done()
			ready.Wait()
			mu.Lock()
			mu.Unlock()
			tx.Rollback()
		}()
		go asksWithLock(context.Background(), db, mu, ready)
		ready.Wait()
	}
	cases["sql and a lock, until a deadline"] = func() {
		ctx, _ := context.WithTimeout(context.Background(), time.Hour)
		ring(ctx)
	}
	cases["sql leaked"] = func() {
		db = open(2)
		db.Begin()
		db.Begin()
		for i := 0; i < many; i++ {
			go db.Conn(context.Background())
		}
	}

	// These are well.
	cases["sql with one left"] = func() {
		other = open(3)
		parks(func() { keeps(other) })
		parks(func() { keeps(other) })
	}
	cases["http without a limit"] = func() { gets(http.DefaultClient, many, "127.0.0.1") }
}

// waitLong returns when the runtime knows of all that they have waited long. It notes when the
// collection before it began.
func waitLong() {
	time.Sleep(300 * time.Millisecond)
	runtime.GC()
	runtime.GC()
	time.Sleep(10500 * time.Millisecond)
}

func main() {
	truth.EndWithStdin()
	for _, name := range os.Args[1:] {
		cases[name]()
	}
	waitLong()
	truth.Ready()
	select {}
}
