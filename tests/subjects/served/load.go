// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"hash/crc32"
	"io/ioutil"
	"math"
	"math/rand"
	"net"
	"net/http"
	"subjects/truth"
	"sync"
	"time"
)

const (
	think    = 2 * time.Millisecond // at most, between an answer and the next request
	perFold  = 50                   // of an interval of latencies a factor of e wide
	patience = time.Minute
)

// interval is what was seen since it began.
type interval struct {
	begin    time.Time
	answered int64
	slowest  time.Duration
	spread   [40 * perFold]int64 // by the logarithm of the latency in ns
}

var latest struct {
	sync.Mutex
	interval
	answered int64 // ever
	lost     []string
	dials    int64
}

// working is held for writing while the load pauses.
var working sync.RWMutex

func (i *interval) add(took time.Duration) {
	i.answered++
	i.spread[int(math.Log(float64(took)+1)*perFold)]++
	if took > i.slowest {
		i.slowest = took
	}
}

// percentile in ns, right to 2 in a hundred.
func (i *interval) percentile(share float64) float64 {
	left := int64(share * float64(i.answered))
	for k, n := range i.spread {
		if left -= n; left < 0 {
			return math.Min(math.Exp((float64(k)+1)/perFold), float64(i.slowest))
		}
	}
	return float64(i.slowest)
}

func loadReport([]string) interface{} {
	latest.Lock()
	defer latest.Unlock()
	return map[string]interface{}{
		"answered": latest.answered, "lost": append([]string{}, latest.lost...),
		"dials": latest.dials, "seconds": time.Since(latest.begin).Seconds(),
		"recent": latest.interval.answered, "max_ns": latest.slowest.Nanoseconds(),
		"p50_ns": latest.percentile(.5), "p99_ns": latest.percentile(.99),
		"p999_ns": latest.percentile(.999),
	}
}

// connection is kept: http.Transport would begin another one and say nothing.
type connection struct {
	net.Conn
	answers *bufio.Reader
	n       int // requests
}

func connect(address string) (*connection, error) {
	latest.Lock()
	latest.dials++
	latest.Unlock()
	c, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: c, answers: bufio.NewReader(c)}, nil
}

// ask sends a request and says what is wrong with the answer.
func (c *connection) ask(body []byte) error {
	c.n++
	c.SetDeadline(time.Now().Add(patience))
	request, err := http.NewRequest("POST", "http://served/", bytes.NewReader(body))
	if err != nil {
		return err
	}
	if err := request.Write(c); err != nil {
		return err
	}
	r, err := http.ReadResponse(c.answers, request)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	got, err := ioutil.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if want := fmt.Sprintf("%08x %d", crc32.ChecksumIEEE(body), c.n); string(got) != want {
		return fmt.Errorf("status %d, %q is not %q", r.StatusCode, got, want)
	}
	return nil
}

// keepAsking needs one connection, or says why it needs another.
func keepAsking(address string, seed int64) {
	dice := rand.New(rand.NewSource(seed))
	for {
		c, err := connect(address)
		for err == nil {
			body := make([]byte, 16+dice.Intn(4000))
			dice.Read(body)
			working.RLock()
			before := time.Now()
			err = c.ask(body)
			note(c.n, time.Since(before), err)
			working.RUnlock()
			time.Sleep(time.Duration(dice.Int63n(int64(think))))
		}
		if c == nil {
			note(0, 0, err)
			time.Sleep(think)
			continue
		}
		c.Close()
	}
}

func note(n int, took time.Duration, err error) {
	latest.Lock()
	defer latest.Unlock()
	latest.answered++
	latest.interval.add(took)
	if err != nil && len(latest.lost) < 1000 {
		latest.lost = append(latest.lost, fmt.Sprintf("request %d: %v", n, err))
	}
}

func load(arguments []string) {
	flags := flag.NewFlagSet("load", flag.ExitOnError)
	connections := flags.Int("connections", 8, "that ask all the time")
	flags.Parse(arguments)
	latest.begin = time.Now()
	for i := 0; i < *connections; i++ {
		go keepAsking(flags.Arg(0), int64(i))
	}
	truth.Ready()
	obey(commands{
		"report": loadReport,
		"begin": func([]string) interface{} {
			latest.Lock()
			defer latest.Unlock()
			latest.interval = interval{begin: time.Now()}
			return "begun"
		},
		"pause":  func([]string) interface{} { working.Lock(); return "paused" },
		"resume": func([]string) interface{} { working.Unlock(); return "resumed" },
	})
}
