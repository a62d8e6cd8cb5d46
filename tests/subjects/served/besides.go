// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// counters of what goes on beside the answering.
type counters struct {
	beats, gapNs   int64 // of a thread that looks at the clock all the time
	ticks, lateNs  int64 // of timers
	piped, blocked int64 // bytes through pipes, by the poller and by a blocked thread
	polls, breaks  int64 // of epoll_wait: that timed out, that were interrupted
	signals        int64
	started        int64 // programs, which ended well
}

var (
	besides counters
	begin   = time.Now()
	mu      sync.Mutex
	broken  []string
)

// fail keeps what must not happen for the report.
func fail(format string, arguments ...interface{}) {
	mu.Lock()
	if len(broken) < 20 {
		broken = append(broken, fmt.Sprintf(format, arguments...))
	}
	mu.Unlock()
}

func raise(at *int64, value int64) {
	for old := atomic.LoadInt64(at); value > old; old = atomic.LoadInt64(at) {
		if atomic.CompareAndSwapInt64(at, old, value) {
			return
		}
	}
}

func (c *counters) start() {
	signals := make(chan os.Signal, 100)
	signal.Notify(signals, syscall.SIGUSR1)
	go c.heartbeat()
	for i := 1; i <= 4; i++ {
		go c.tick(time.Duration(i) * 3 * time.Millisecond)
	}
	go c.pipe()
	go c.blockedPipe()
	go c.poll()
	go func() {
		for range signals {
			atomic.AddInt64(&c.signals, 1)
		}
	}()
}

// forget begins a new interval for the longest gap and the latest tick.
func (c *counters) forget() {
	atomic.StoreInt64(&c.gapNs, 0)
	atomic.StoreInt64(&c.lateNs, 0)
}

func (c *counters) report() map[string]interface{} {
	mu.Lock()
	defer mu.Unlock()
	said := map[string]interface{}{"broken": append([]string{}, broken...)}
	for name, at := range map[string]*int64{
		"beats": &c.beats, "gap_ns": &c.gapNs, "ticks": &c.ticks, "late_ns": &c.lateNs,
		"piped": &c.piped, "blocked": &c.blocked, "polls": &c.polls, "breaks": &c.breaks,
		"signals": &c.signals, "started": &c.started,
	} {
		said[name] = atomic.LoadInt64(at)
	}
	return said
}

func (c *counters) heartbeat() {
	runtime.LockOSThread()
	for last := time.Since(begin); ; {
		time.Sleep(200 * time.Microsecond)
		now := time.Since(begin)
		raise(&c.gapNs, int64(now-last))
		atomic.AddInt64(&c.beats, 1)
		last = now
	}
}

// tick arms one timer after the other. None may be early.
func (c *counters) tick(period time.Duration) {
	fired := make(chan time.Duration)
	for {
		armed := time.Since(begin)
		time.AfterFunc(period, func() { fired <- time.Since(begin) })
		late := <-fired - armed - period
		if late < 0 {
			fail("a timer of %v was %v early", period, -late)
		}
		raise(&c.lateNs, int64(late))
		atomic.AddInt64(&c.ticks, 1)
	}
}

// pipe sends numbers to itself.
func (c *counters) pipe() {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	go func() {
		for i := 0; ; i++ {
			if _, err := w.Write([]byte{byte(i)}); err != nil {
				fail("writing to a pipe: %v", err)
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var got [1]byte
	for i := 0; ; i++ {
		if _, err := r.Read(got[:]); err != nil || got[0] != byte(i) {
			fail("byte %d of a pipe is %d: %v", i, got[0], err)
		}
		atomic.AddInt64(&c.piped, 1)
	}
}

// blockedPipe reads where the poller does not help: the kernel restarts the call.
func (c *counters) blockedPipe() {
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		panic(err)
	}
	go func() {
		for i := 0; ; i++ {
			if _, err := syscall.Write(fds[1], []byte{byte(i)}); err != nil {
				fail("writing to a raw pipe: %v", err)
			}
			time.Sleep(3 * time.Millisecond)
		}
	}()
	var got [1]byte
	for i := 0; ; i++ {
		n, err := syscall.Read(fds[0], got[:])
		if n != 1 || err != nil || got[0] != byte(i) {
			fail("byte %d of a raw pipe is %d: %d, %v", i, got[0], n, err)
		}
		atomic.AddInt64(&c.blocked, 1)
	}
}

// poll waits where the kernel does not restart: whoever stops the thread is seen as EINTR.
func (c *counters) poll() {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		panic(err)
	}
	var events [1]syscall.EpollEvent
	for {
		switch n, err := syscall.EpollWait(fd, events[:], 5); {
		case err == syscall.EINTR:
			atomic.AddInt64(&c.breaks, 1)
		case n != 0 || err != nil:
			fail("epoll_wait: %d, %v", n, err)
		default:
			atomic.AddInt64(&c.polls, 1)
		}
	}
}

// startPrograms has children, one after the other, and collects each.
func (c *counters) startPrograms() {
	for {
		if err := exec.Command("/bin/true").Run(); err != nil {
			fail("/bin/true: %v", err)
		}
		atomic.AddInt64(&c.started, 1)
		time.Sleep(5 * time.Millisecond)
	}
}
