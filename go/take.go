// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// The place of the one snapshot that may be taken at a time.
var (
	place = make(chan struct{}, 1)
	rate  struct {
		sync.Mutex
		last    time.Time
		dropped uint64
	}
)

// Dropped returns how many snapshots were not taken because another one was being taken, or had been a
// moment ago.
func Dropped() uint64 {
	rate.Lock()
	defer rate.Unlock()
	return rate.dropped
}

// enter is true when it is our turn; leave must be called then. One that does not wait is dropped.
// One that waits is dropped after the snapshot that it waited for.
func enter(options *Options, wait bool) bool {
	entered := occupy()
	for later := pauses(options.Timeout); !entered && wait && later.wait(); {
		entered = occupy()
	}
	rate.Lock()
	defer rate.Unlock()
	now := time.Now()
	if entered && options.Every > 0 && !rate.last.IsZero() && now.Sub(rate.last) < options.Every {
		leave()
		entered = false
	}
	if entered {
		rate.last = now
	} else {
		rate.dropped++
	}
	return entered
}

func occupy() bool {
	select {
	case place <- struct{}{}:
		return true
	default:
		return false
	}
}

func leave() { <-place }

// A result is what a goroutine of ours found.
type result struct {
	snapshot Snapshot
	err      error
}

// start has the snapshot taken by a goroutine of its own: what fails, panics or hangs there, such as a
// Logger or a Sink, does so there. There is one result or, if that is late, two.
func start(options *Options, r *request, wait bool) <-chan result {
	done, ended := make(chan result, 2), make(chan struct{})
	if !wait && !enter(options, false) {
		options.log("%v", ErrDropped)
		done <- result{err: ErrDropped}
		return done
	}
	go func() {
		defer close(ended)
		if wait && !enter(options, true) {
			options.log("%v", ErrDropped)
			done <- result{err: ErrDropped}
			return
		}
		var found result
		defer func() {
			if reason := recover(); reason != nil {
				found = result{err: fmt.Errorf("gosnap: %v", reason)}
			}
			leave()
			done <- found
		}()
		found = takeAndDeliver(options, r)
	}()
	go giveUp(options, done, ended)
	return done
}

// giveUp is for code of the program that hangs. Not the caller looks at the time: it has to stand still, so
// that the snapshot sees its stack.
func giveUp(options *Options, done chan<- result, ended <-chan struct{}) {
	// One that is waited for, our own, and the sink.
	for later := pauses(3*options.Timeout + options.greetingTimeout()); later.wait(); {
		select {
		case <-ended:
			return
		default:
		}
	}
	done <- result{err: ErrTimeout}
}

func takeAndDeliver(options *Options, r *request) (found result) {
	found.snapshot, found.err = take(options, r)
	if found.err != nil {
		options.log("no snapshot: %v", found.err)
		return found
	}
	options.log("snapshot %s, status %d", found.snapshot.Path, found.snapshot.Status)
	if options.Sink != nil {
		ctx, cancel := context.WithTimeout(context.Background(), options.Timeout)
		defer cancel()
		if err := options.Sink.Deliver(ctx, found.snapshot); err != nil {
			options.log("%s was not delivered: %v", found.snapshot.Path, err)
			found.err = err
		}
	}
	return found
}

// Trace takes a snapshot because of err, which may be nil. The calling goroutine is the first in the
// document; the error's text and type are among its attributes.
//
// Trace returns when the snapshot is taken, or ctx is done, which does not stop it. If ctx is done
// already, as it often is when there is an error, Trace waits all the same.
func Trace(ctx context.Context, err error, attributes ...Option) (Snapshot, error) {
	options := configured()
	if err != nil && options.worthless(err) {
		return Snapshot{}, ErrWorthless
	}
	more := append(ofError(err), attributes...)
	r := newRequest(&options, withGoroutine("api"), more)
	done := start(&options, r, false)
	if options.Asynchronous {
		return atOnce(done)
	}
	var stop <-chan struct{}
	if ctx != nil && ctx.Err() == nil {
		stop = ctx.Done()
	}
	select {
	case found := <-done:
		return found.snapshot, found.err
	case <-stop:
		return Snapshot{}, ctx.Err()
	}
}

// atOnce returns what is known now.
func atOnce(done <-chan result) (Snapshot, error) {
	select {
	case found := <-done:
		return found.snapshot, found.err
	default:
		return Snapshot{}, nil
	}
}

func ofError(err error) []Option {
	if err == nil {
		return nil
	}
	return []Option{Attribute("error", textOf(err)), Attribute("error_type", fmt.Sprintf("%T", err))}
}

// textOf calls code of the program, which may panic.
func textOf(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "?"
		}
	}()
	return err.Error()
}

func withGoroutine(kind string) string {
	return kind + ",goroutine=" + strconv.FormatUint(goroutineID(), 10)
}

// Recover takes a snapshot if the goroutine panics, and lets it panic: unlike recover(), it stops
// nothing, and what the runtime prints is the same as without it. It must be deferred itself:
//
//	defer gosnap.Recover()
//
// The document says what the goroutine panicked with and where, as fault. In a function whose caller
// recovers the panic, it does so, too.
//
// A panic that Recover has a snapshot of gets no other one by Monitor; see there.
func Recover(attributes ...Option) {
	if !isPanicking() {
		return
	}
	options := configured()
	r := newRequest(&options, withGoroutine("panic"), attributes)
	r.notes = &unseen
	began := time.Now()
	found := <-start(&options, r, true)
	switch {
	case found.snapshot.Path != "" && r.panicked != nil:
		note(r.panicked, began)
	case found.err == ErrDropped:
		// Another Recover may have seen the same panic just now.
		forget(goroutineID(), began.Add(-options.Every))
	default:
		forget(goroutineID(), began)
	}
}
