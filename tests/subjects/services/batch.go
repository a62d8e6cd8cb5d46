// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A batch job: records are read, transformed by workers, and written, run after run.

const (
	batchWorkers = 4
	batchRecords = 40 // of a run
	batchTables  = 3
)

type batchRecord struct {
	n    int
	text string
}

type batch struct {
	accounts, index sync.Mutex
	sums            map[int]uint32
	runs            int64
	report          chan string // made if somebody reads it
	// Of a sick one.
	stuck          gauge
	one, other     holder
	first, another gauge // those that have the one lock and go for the other
}

func newBatch() *batch {
	return &batch{sums: map[int]uint32{}}
}

func (b *batch) read(ctx context.Context, n int, to chan<- *batchRecord) error {
	defer close(to)
	for i := 0; i < n; i++ {
		select {
		case to <- &batchRecord{i, fmt.Sprintf("record %d of run %d", i, atomic.LoadInt64(&b.runs))}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (b *batch) sum(r *batchRecord) string {
	time.Sleep(time.Duration(r.n%3) * time.Millisecond)
	return fmt.Sprintf("%s: %x\n", r.text, crc32.ChecksumIEEE([]byte(r.text)))
}

func (b *batch) transform(ctx context.Context, from <-chan *batchRecord, to chan<- string) error {
	for r := range from {
		select {
		case to <- b.sum(r):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func batchFile() *bufio.Writer {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	return bufio.NewWriter(null)
}

func (b *batch) write(to *bufio.Writer, lines <-chan string) error {
	for line := range lines {
		if _, err := to.WriteString(line); err != nil {
			return err
		}
		operation()
	}
	return to.Flush()
}

// run does all at once, and waits for all of that.
func (b *batch) run(to *bufio.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	records, lines := make(chan *batchRecord, 8), make(chan string, 8)
	var workers sync.WaitGroup
	for i := 0; i < batchWorkers; i++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			b.transform(ctx, records, lines)
		}()
	}
	go b.read(ctx, batchRecords, records)
	go func() {
		workers.Wait()
		close(lines)
	}()
	defer atomic.AddInt64(&b.runs, 1)
	return b.write(to, lines)
}

// runs does one after the other.
func (b *batch) runAll(run func(*bufio.Writer) error) {
	to := batchFile()
	for {
		run(to)
		time.Sleep(20 * time.Millisecond)
	}
}

// book takes both locks, in the order that all do.
func (b *batch) book(n int) {
	b.accounts.Lock()
	defer b.accounts.Unlock()
	b.index.Lock()
	defer b.index.Unlock()
	b.sums[n]++
}

func (b *batch) books(book func(n int)) {
	for n := 0; ; n++ {
		book(n % batchTables)
		operation()
		time.Sleep(time.Millisecond)
	}
}

// The same, with what people get wrong.

// compact takes both locks, in the other order.
//
//go:noinline
func (b *batch) compact() {
	b.index.Lock()
	defer b.index.Unlock()
	b.other.takes()
	total := uint32(0)
	for _, sum := range b.sums {
		total += sum
	}
	b.accounts.Lock()
	defer b.accounts.Unlock()
	b.other.gives()
	b.sums[0] = total
}

//go:noinline
func (b *batch) bookNoted(n int) {
	b.accounts.Lock()
	defer b.accounts.Unlock()
	b.one.takes()
	b.index.Lock()
	defer b.index.Unlock()
	b.one.gives()
	b.sums[n]++
}

var errBatchFull = errors.New("no space left on device")

// writeUnlessFull returns, and leaves those that send to it alone.
//
//go:noinline
func (b *batch) writeUnlessFull(lines <-chan string) error {
	for n := 0; ; n++ {
		if _, more := <-lines; !more {
			return nil
		}
		if n == batchRecords/2 && atomic.LoadInt64(&b.runs)%20 == 2 {
			return errBatchFull
		}
	}
}

//go:noinline
func (b *batch) transformAll(from <-chan *batchRecord, to chan<- string) {
	for r := range from {
		line := b.sum(r)
		b.stuck.begins()
		to <- line
		b.stuck.ends()
	}
}

func (b *batch) runUnlessFull(*bufio.Writer) error {
	records, lines := make(chan *batchRecord), make(chan string)
	var workers sync.WaitGroup
	for i := 0; i < batchWorkers; i++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			b.transformAll(records, lines)
		}()
	}
	go b.read(context.Background(), batchRecords, records)
	go func() {
		workers.Wait()
		close(lines)
	}()
	defer atomic.AddInt64(&b.runs, 1)
	return b.writeUnlessFull(lines)
}

// drain goes on when the channel is closed.
//
//go:noinline
func (b *batch) drain(from <-chan *batchRecord) {
	for {
		if r := <-from; r != nil {
			b.stuck.begins()
		}
	}
}

// tell sends to a channel that was never made.
//
//go:noinline
func (b *batch) tell(text string) {
	b.stuck.begins()
	b.report <- text
}

func init() {
	services["batch"] = service{
		healthy: func() {
			b := newBatch()
			go b.runAll(b.run)
			go b.books(b.book)
			go b.books(b.book)
		},
		sick: map[string]func() sickness{
			"locks in two orders": func() sickness {
				b := newBatch()
				go b.runAll(b.run)
				go b.books(b.bookNoted)
				go b.books(func(int) { b.compact() })
				return sickness{
					// Each has its first lock, and is at the second for good.
					reached: stays(func() bool { return b.one.is() != 0 && b.other.is() != 0 }),
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"lock_cycle"}, Names: []string{"main.(*batch).bookNoted", "main.(*batch).compact"},
							Holders: []int64{b.one.is(), b.other.is()},
						}}
					},
				}
			},
			"writer gone": func() sickness {
				b := newBatch()
				go b.runAll(b.runUnlessFull)
				return sickness{
					reached: func() bool { return b.stuck.now() > 3*batchWorkers },
					findings: func() []finding {
						return []finding{
							{Kinds: []string{"leaked"}, Names: []string{"main.(*batch).transformAll"}},
							// Who reads for them, and who waits for them, do not go on either.
							{Kinds: []string{"group_held"}, Names: []string{"main.(*batch).transformAll"}, Aside: true},
							{Kinds: []string{"leaked"}, Names: []string{"main.(*batch).read|main.(*batch).runUnlessFull"}, Aside: true},
						}
					},
				}
			},
			"closed channel": func() sickness {
				b := newBatch()
				go b.runAll(b.run)
				records := make(chan *batchRecord)
				go b.read(context.Background(), batchRecords, records)
				go b.drain(records)
				return sickness{
					reached: func() bool { return b.stuck.now() == batchRecords && atomic.LoadInt64(&b.runs) > 3 },
					findings: func() []finding {
						return []finding{{Kinds: []string{"spins"}, Names: []string{"main.(*batch).drain"}}}
					},
					spins: true,
				}
			},
			"channel never made": func() sickness {
				b := newBatch()
				go b.runAll(func(to *bufio.Writer) error {
					if atomic.LoadInt64(&b.runs)%20 == 2 {
						go b.tell("a run begins")
					}
					return b.run(to)
				})
				return sickness{
					reached: func() bool { return b.stuck.now() > 3 },
					findings: func() []finding {
						return []finding{{Kinds: []string{"nil_channel"}, Names: []string{"main.(*batch).tell"}}}
					},
				}
			},
		},
	}
}
