// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A limiter of rates: each tenant has a bucket of tokens, and all share places.

const (
	limiterClients = 16
	limiterPlaces  = 6
	limiterTenants = 5
)

type limiterBucket struct {
	mu     sync.Mutex
	more   *sync.Cond
	tokens int
	used   time.Time
}

type limiter struct {
	places  chan struct{}
	mu      sync.Mutex
	buckets map[string]*limiterBucket
	// Of a sick one.
	lost     gauge
	waiting  gauge
	deadline int64 // of the first that waits, in ns
	evicted  gauge // those that wait at a bucket that nobody fills
}

func newLimiter() *limiter {
	return &limiter{places: make(chan struct{}, limiterPlaces), buckets: map[string]*limiterBucket{}}
}

func (l *limiter) bucket(tenant string) *limiterBucket {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[tenant]
	if b == nil {
		b = &limiterBucket{tokens: 5, used: time.Now()}
		b.more = sync.NewCond(&b.mu)
		l.buckets[tenant] = b
	}
	return b
}

// refill gives each bucket tokens, again and again.
func (l *limiter) refill(n int) {
	for range time.Tick(10 * time.Millisecond) {
		l.mu.Lock()
		for _, b := range l.buckets {
			b.add(n)
		}
		l.mu.Unlock()
	}
}

func (b *limiterBucket) add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tokens += n; b.tokens > 10 {
		b.tokens = 10
	}
	b.more.Broadcast()
}

// take waits for a token.
//
//go:noinline
func (b *limiterBucket) take() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.tokens == 0 {
		b.more.Wait()
	}
	b.tokens--
	b.used = time.Now()
}

func (b *limiterBucket) idle() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tokens == 10 && time.Since(b.used) > time.Second
}

// evict removes the buckets of tenants that have gone.
func (l *limiter) evict() {
	for range time.Tick(50 * time.Millisecond) {
		l.mu.Lock()
		for tenant, b := range l.buckets {
			if b.idle() {
				delete(l.buckets, tenant)
			}
		}
		l.mu.Unlock()
	}
}

// within runs it in a place, if there is one until the context ends.
//
//go:noinline
func (l *limiter) within(ctx context.Context, run func() error) error {
	select {
	case l.places <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.places }()
	return run()
}

func limiterWork(n int) error {
	time.Sleep(time.Duration(1+n%4) * time.Millisecond)
	if n%97 == 0 {
		return errors.New("it did not work")
	}
	return nil
}

// The same, with what people get wrong.

// withinUnlessError keeps its place if that did not work.
//
//go:noinline
func (l *limiter) withinUnlessError(n int) error {
	l.waiting.begins()
	l.places <- struct{}{}
	l.waiting.ends()
	if err := limiterWork(n); err != nil {
		l.lost.begins()
		return err
	}
	<-l.places
	return nil
}

// evictInUse removes buckets by when they were used, although somebody waits there.
func (l *limiter) evictInUse() {
	for range time.Tick(200 * time.Millisecond) {
		l.mu.Lock()
		for tenant, b := range l.buckets {
			b.mu.Lock()
			if b.tokens == 0 {
				delete(l.buckets, tenant)
			}
			b.mu.Unlock()
		}
		l.mu.Unlock()
	}
}

//go:noinline
func (b *limiterBucket) takeCounted(waiting *gauge) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.tokens == 0 {
		waiting.begins()
		b.more.Wait()
		waiting.ends()
	}
	b.tokens--
}

// takeSlowly looks for a token now and then, whatever the context says.
//
//go:noinline
func (l *limiter) takeSlowly(ctx context.Context, tenant string) error {
	b := l.bucket(tenant)
	deadline, _ := ctx.Deadline()
	for {
		b.mu.Lock()
		if b.tokens > 0 {
			b.tokens--
			b.mu.Unlock()
			break
		}
		b.mu.Unlock()
		atomic.CompareAndSwapInt64(&l.deadline, 0, deadline.UnixNano())
		time.Sleep(20 * time.Millisecond)
	}
	return ctx.Err()
}

func limiterServer(timeout time.Duration, handle func(r *http.Request, tenant string, n int) error) {
	var count int64
	base := serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := handle(r, r.URL.Path, int(atomic.AddInt64(&count, 1))); err != nil {
			http.Error(w, err.Error(), http.StatusTooManyRequests)
		}
	}))
	client := browser(limiterClients, timeout)
	clients(limiterClients, 20*time.Millisecond, func(r *rand.Rand) {
		get(context.Background(), client, fmt.Sprintf("%s/%d", base, r.Intn(limiterTenants)))
	})
}

func init() {
	services["limiter"] = service{
		healthy: func() {
			l := newLimiter()
			limiterServer(time.Minute, func(r *http.Request, tenant string, n int) error {
				l.bucket(tenant).take()
				ctx, cancel := context.WithTimeout(r.Context(), 30*time.Second)
				defer cancel()
				return l.within(ctx, func() error { return limiterWork(n) })
			})
			go l.refill(2)
			go l.evict()
		},
		sick: map[string]func() sickness{
			"place not given back": func() sickness {
				l := newLimiter()
				limiterServer(2*time.Second, func(_ *http.Request, _ string, n int) error { return l.withinUnlessError(n) })
				return sickness{
					reached: func() bool { return l.lost.now() == limiterPlaces && l.waiting.now() >= limiterClients },
					findings: func() []finding {
						return []finding{{Kinds: []string{"semaphore_full"}, Names: []string{"main.(*limiter).withinUnlessError"}}}
					},
				}
			},
			"evicted while somebody waits": func() sickness {
				l := newLimiter()
				limiterServer(time.Second/2, func(_ *http.Request, tenant string, _ int) error {
					l.bucket(tenant).takeCounted(&l.evicted)
					return nil
				})
				go l.refill(1)
				go l.evictInUse()
				return sickness{
					// There are fewer buckets that are filled than so many wait for.
					reached: stays(func() bool { return l.evicted.now() > 2*limiterClients }),
					findings: func() []finding {
						return []finding{{Kinds: []string{"leaked"}, Names: []string{"main.(*limiterBucket).takeCounted"}}}
					},
				}
			},
			"context not regarded": func() sickness {
				l := newLimiter()
				limiterServer(time.Minute, func(_ *http.Request, tenant string, n int) error {
					ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
					defer cancel()
					return l.takeSlowly(ctx, tenant)
				})
				return sickness{
					reached: func() bool {
						passed := atomic.LoadInt64(&l.deadline)
						return passed != 0 && time.Since(time.Unix(0, passed)) > 11*time.Second
					},
					findings: func() []finding {
						return []finding{{Kinds: []string{"context_done"}, Names: []string{"main.(*limiter).takeSlowly"}}}
					},
				}
			},
		},
	}
}
