// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

var (
	times = []time.Time{time.Now(), {}, time.Unix(0, 0), time.Unix(1234567890, 120000000),
		time.Date(1600, 2, 29, 23, 59, 59, 1, time.UTC),
		time.Date(2026, 7, 1, 12, 0, 0, 0, time.FixedZone("east", 7200))}
	durations = []time.Duration{0, 1, 999, 1000, 1500, 1000000, 2500000, time.Second,
		90 * time.Second, time.Hour, 25*time.Hour + time.Nanosecond, -time.Minute,
		1<<63 - 1, -1 << 63, 100 * time.Millisecond}
	months   = []time.Month{time.January, time.December}
	days     = []time.Weekday{time.Sunday, time.Saturday}
	failures = []error{os.ErrNotExist, &os.PathError{Op: "open", Path: "/none", Err: syscall.ENOENT},
		fmt.Errorf("outer: %w", &os.PathError{Op: "read", Path: "/a", Err: syscall.EIO}),
		context.DeadlineExceeded, context.Canceled, syscall.EAGAIN, syscall.EPIPE,
		os.NewSyscallError("connect", syscall.ECONNREFUSED),
		&os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EXDEV}, badNumber(),
		&url.Error{Op: "Get", URL: "http://example.org", Err: context.DeadlineExceeded}}
	addresses = []net.IP{net.IPv4(1, 2, 3, 4), {10, 0, 0, 1}, net.ParseIP("2001:db8::1")}
	location  = mustParse("https://ann:secret@example.org:8080/a/b?q=1#part")
	buffer    bytes.Buffer
	builder   strings.Builder

	freeMutex, heldMutex, wantedMutex sync.Mutex
	readLock, writeLock               sync.RWMutex
	once, notYet                      sync.Once
)

func badNumber() error {
	_, err := strconv.Atoi("x12")
	return err
}

func mustParse(text string) *url.URL {
	parsed, err := url.Parse(text)
	if err != nil {
		panic(err)
	}
	return parsed
}

// inWords is what the program itself would print of these, and of locks what holds here.
func inWords() object {
	buffer.WriteString("gone, kept")
	buffer.Next(6)
	builder.WriteString("built")
	heldMutex.Lock()
	wantedMutex.Lock()
	readLock.RLock()
	readLock.RLock()
	writeLock.Lock()
	once.Do(func() {})
	sink(&freeMutex, &notYet)
	for i := 0; i < 2; i++ {
		go wantedMutex.Lock()
	}
	said := object{"buffer": buffer.String(), "builder": builder.String(),
		"location": "https://example.org:8080/a/b?q=1#part", "freeMutex": "unlocked",
		"heldMutex": "locked", "wantedMutex": "locked, 2 waiting", "readLock": "2 reading",
		"writeLock": "locked for writing", "once": "done", "notYet": "not done"}
	lists := map[string][]string{}
	for _, t := range times {
		lists["times"] = append(lists["times"], t.UTC().Format(time.RFC3339Nano))
	}
	for _, d := range durations {
		lists["durations"] = append(lists["durations"], d.String())
	}
	for _, m := range months {
		lists["months"] = append(lists["months"], m.String())
	}
	for _, d := range days {
		lists["days"] = append(lists["days"], d.String())
	}
	for _, err := range failures {
		lists["failures"] = append(lists["failures"], err.Error())
	}
	for _, ip := range addresses {
		lists["addresses"] = append(lists["addresses"], ip.String())
	}
	for name, list := range lists {
		said[name] = list
	}
	return said
}
