// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
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

// client has one connection, and says so when it needs another.
func client() *http.Client {
	dial := func(c context.Context, network, address string) (net.Conn, error) {
		latest.Lock()
		latest.dials++
		latest.Unlock()
		return (&net.Dialer{}).DialContext(c, network, address)
	}
	return &http.Client{Timeout: patience, Transport: &http.Transport{
		DialContext: dial, MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1}}
}

// ask sends the nth request of a connection and says what is wrong with the answer.
func ask(c *http.Client, url string, body []byte, n int) error {
	r, err := c.Post(url, "application/octet-stream", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer r.Body.Close()
	got, err := ioutil.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if want := fmt.Sprintf("%08x %d", crc32.ChecksumIEEE(body), n); string(got) != want {
		return fmt.Errorf("status %d, %q is not %q", r.StatusCode, got, want)
	}
	return nil
}

func keepAsking(url string, seed int64) {
	c, dice := client(), rand.New(rand.NewSource(seed))
	for n := 1; ; n++ {
		body := make([]byte, 16+dice.Intn(4000))
		dice.Read(body)
		working.RLock()
		before := time.Now()
		err := ask(c, url, body, n)
		took := time.Since(before)
		latest.Lock()
		latest.answered++
		latest.interval.add(took)
		if err != nil && len(latest.lost) < 1000 {
			latest.lost = append(latest.lost, fmt.Sprintf("request %d: %v", n, err))
		}
		latest.Unlock()
		working.RUnlock()
		time.Sleep(time.Duration(dice.Int63n(int64(think))))
	}
}

func load(arguments []string) {
	flags := flag.NewFlagSet("load", flag.ExitOnError)
	connections := flags.Int("connections", 8, "that ask all the time")
	flags.Parse(arguments)
	latest.begin = time.Now()
	for i := 0; i < *connections; i++ {
		go keepAsking("http://"+flags.Arg(0)+"/", int64(i))
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
