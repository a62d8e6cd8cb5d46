// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"io/ioutil"
	"math/rand"
	"net"
	"net/http"
	"os"
	"strconv"
	"subjects/truth"
	"sync"
	"sync/atomic"
	"time"
)

// A holder is the goroutine that has something. Only what is sick notes it.
type holder struct{ goid int64 }

func (h *holder) takes() { atomic.StoreInt64(&h.goid, truth.Goid()) }
func (h *holder) gives() { atomic.StoreInt64(&h.goid, 0) }
func (h *holder) is() int64 {
	return atomic.LoadInt64(&h.goid)
}

// A gauge counts what goes on at once.
type gauge struct{ n int64 }

func (g *gauge) begins()    { atomic.AddInt64(&g.n, 1) }
func (g *gauge) ends()      { atomic.AddInt64(&g.n, -1) }
func (g *gauge) now() int64 { return atomic.LoadInt64(&g.n) }

// accept has a goroutine serve each connection, until the listener is closed.
func accept(listener net.Listener, serve func(net.Conn)) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go serve(conn)
	}
}

// stays is for what lasts only if it lasts for ever: it must be so at each poll of two seconds.
func stays(so func() bool) func() bool {
	since := time.Now()
	return func() bool {
		if !so() {
			since = time.Now()
		}
		return time.Since(since) > 2*time.Second
	}
}

// dice returns random numbers of one's own.
func dice(one int) *rand.Rand {
	seed, _ := strconv.ParseInt(os.Getenv("GOSNAP_SUBJECT_SEED"), 10, 64)
	return rand.New(rand.NewSource(seed + int64(one)))
}

// clients makes n of them request again and again, and think in between, for so long on average.
func clients(n int, think time.Duration, request func(r *rand.Rand)) {
	for i := 0; i < n; i++ {
		go client(dice(i), think, request)
	}
}

func client(r *rand.Rand, think time.Duration, request func(r *rand.Rand)) {
	for {
		time.Sleep(think/2 + time.Duration(r.Int63n(int64(think))))
		request(r)
		operation()
	}
}

func listen() net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	return listener
}

// serve starts an HTTP server, and returns the beginning of its URLs.
func serve(handler http.Handler) string {
	listener := listen()
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	go server.Serve(listener)
	return "http://" + listener.Addr().String()
}

// browser returns a client that keeps so many connections, and gives a request up after the timeout.
func browser(connections int, timeout time.Duration) *http.Client {
	return &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: connections, IdleConnTimeout: time.Minute},
		Timeout:   timeout,
	}
}

// get requests the URL and reads all of the answer. A service that is sick does not answer.
func get(ctx context.Context, client *http.Client, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return "", err
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := ioutil.ReadAll(answer.Body)
	return string(text), err
}

// metrics are what each service counts, on the port for its operators.
type metrics struct {
	mu       sync.Mutex
	requests map[string]int
}

func (m *metrics) count(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[path]++
}

func (m *metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.count(r.URL.Path)
	io.WriteString(w, "ok\n")
}

// health serves health checks, and makes them.
func health() {
	url := serve(&metrics{requests: map[string]int{}})
	checker := browser(1, 10*time.Second)
	clients(1, 50*time.Millisecond, func(*rand.Rand) {
		if _, err := get(context.Background(), checker, url+"/health"); err != nil {
			panic(err)
		}
	})
}
