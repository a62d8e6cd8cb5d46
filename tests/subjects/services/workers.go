// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"math/rand"
	"sync"
	"time"
)

// A pool of workers: callers submit jobs, and wait for what comes of them.

const (
	poolWorkers = 8
	poolQueue   = 16
	poolCallers = 32
)

type poolJob struct {
	size   int
	result chan int
}

type poolOfWorkers struct {
	jobs  chan *poolJob
	mu    sync.Mutex
	done  map[int]int // jobs by size
	lines chan string // for the log
	// Of a sick one.
	stuck     gauge
	submitter holder
}

func newPoolOfWorkers(work func(*poolOfWorkers)) *poolOfWorkers {
	p := &poolOfWorkers{jobs: make(chan *poolJob, poolQueue), done: map[int]int{}, lines: make(chan string, 4)}
	for i := 0; i < poolWorkers; i++ {
		go work(p)
	}
	go p.log()
	return p
}

// log writes, but once in a while nothing has happened.
func (p *poolOfWorkers) log() {
	written := 0
	for {
		select {
		case line := <-p.lines:
			written += len(line)
		case <-time.After(time.Second):
		}
	}
}

func (j *poolJob) run() int {
	time.Sleep(time.Duration(j.size) * time.Millisecond)
	return j.size * 2
}

// work sends results to channels with room for them.
//
//go:noinline
func (p *poolOfWorkers) work() {
	for job := range p.jobs {
		job.result <- job.run()
		p.mu.Lock()
		p.done[job.size]++
		p.mu.Unlock()
	}
}

//go:noinline
func (p *poolOfWorkers) submit(ctx context.Context, size int) (int, error) {
	job := &poolJob{size, make(chan int, 1)}
	select {
	case p.jobs <- job:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	select {
	case result := <-job.result:
		return result, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// all submits several at once, and waits for each.
func (p *poolOfWorkers) all(ctx context.Context, sizes []int) (sum int) {
	var group sync.WaitGroup
	var mu sync.Mutex
	for _, size := range sizes {
		group.Add(1)
		go func(size int) {
			defer group.Done()
			if result, err := p.submit(ctx, size); err == nil {
				mu.Lock()
				sum += result
				mu.Unlock()
			}
		}(size)
	}
	group.Wait()
	return sum
}

// submitBriefly makes a channel without room for a result that is late.
//
//go:noinline
func (p *poolOfWorkers) submitBriefly(ctx context.Context, size int) (int, error) {
	job := &poolJob{size, make(chan int)}
	select {
	case p.jobs <- job:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	select {
	case result := <-job.result:
		return result, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

//go:noinline
func (p *poolOfWorkers) workAndSend() {
	for job := range p.jobs {
		result := job.run()
		p.stuck.begins()
		job.result <- result
		p.stuck.ends()
	}
}

// allUnlessLarge does not count one down that is refused.
//
//go:noinline
func (p *poolOfWorkers) allUnlessLarge(ctx context.Context, sizes []int) error {
	var group sync.WaitGroup
	errs := make(chan error, len(sizes))
	for _, size := range sizes {
		group.Add(1)
		go func(size int) {
			if size > 18 {
				p.stuck.begins()
				errs <- errors.New("too large")
				return
			}
			_, err := p.submit(ctx, size)
			errs <- err
			group.Done()
		}(size)
	}
	group.Wait()
	return <-errs
}

// submitLocked waits for a place in the queue while it has the lock.
//
//go:noinline
func (p *poolOfWorkers) submitLocked(size int) *poolJob {
	job := &poolJob{size, make(chan int, 1)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.submitter.takes()
	p.jobs <- job
	p.submitter.gives()
	p.done[0]++
	return job
}

// workLocked needs the lock to be ready for its next job.
//
//go:noinline
func (p *poolOfWorkers) workLocked() {
	for job := range p.jobs {
		result := job.run()
		p.stuck.begins()
		p.mu.Lock()
		p.stuck.ends()
		p.done[job.size]++
		p.mu.Unlock()
		job.result <- result
	}
}

func poolSizes(r *rand.Rand) []int {
	sizes := make([]int, 1+r.Intn(4))
	for i := range sizes {
		sizes[i] = r.Intn(20)
	}
	return sizes
}

func init() {
	services["workers"] = service{
		healthy: func() {
			p := newPoolOfWorkers((*poolOfWorkers).work)
			clients(poolCallers, 40*time.Millisecond, func(r *rand.Rand) {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				p.all(ctx, poolSizes(r))
			})
			go func() {
				for range time.Tick(100 * time.Millisecond) {
					p.lines <- "at work"
				}
			}()
		},
		sick: map[string]func() sickness{
			"result not read": func() sickness {
				p := newPoolOfWorkers((*poolOfWorkers).workAndSend)
				clients(poolCallers, 20*time.Millisecond, func(r *rand.Rand) {
					ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
					defer cancel()
					p.submitBriefly(ctx, r.Intn(20))
				})
				return sickness{
					// They do not get out of there: whom they would send to have gone, or give up soon.
					reached: stays(func() bool { return p.stuck.now() == poolWorkers }),
					findings: func() []finding {
						return []finding{{Kinds: []string{"leaked"}, Names: []string{"main.(*poolOfWorkers).workAndSend"}}}
					},
				}
			},
			"group not done": func() sickness {
				p := newPoolOfWorkers((*poolOfWorkers).work)
				clients(poolCallers, 40*time.Millisecond, func(r *rand.Rand) {
					ctx, cancel := context.WithTimeout(context.Background(), time.Second)
					defer cancel()
					p.allUnlessLarge(ctx, poolSizes(r))
				})
				return sickness{
					// Each of these has at least one caller that waits for ever.
					reached: func() bool { return p.stuck.now() >= poolCallers/2 },
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"leaked", "group_abandoned"}, Names: []string{"main.(*poolOfWorkers).allUnlessLarge"},
						}}
					},
				}
			},
			"lock held while the queue is full": func() sickness {
				p := newPoolOfWorkers((*poolOfWorkers).workLocked)
				clients(poolCallers, 10*time.Millisecond, func(r *rand.Rand) {
					<-p.submitLocked(r.Intn(20)).result
				})
				return sickness{
					// The queue is full, and nobody will take from it.
					reached: func() bool {
						one := p.submitter.is()
						return one != 0 && len(p.jobs) == poolQueue && p.stuck.now() == poolWorkers && p.submitter.is() == one
					},
					findings: func() []finding {
						holders := []int64{p.submitter.is()}
						return []finding{
							{Kinds: []string{"wait_cycle"}, Holders: holders,
								Names: []string{"main.(*poolOfWorkers).submitLocked", "main.(*poolOfWorkers).workLocked"}},
							{Kinds: []string{"lock_held"}, Holders: holders, Aside: true,
								Names: []string{"main.(*poolOfWorkers).submitLocked"}},
						}
					},
				}
			},
		},
	}
}
