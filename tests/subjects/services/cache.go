// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"sync"
	"time"
)

// A cache before a slow origin: what expires is loaded again, once for all who want it.

const (
	cacheClients = 16
	cacheKeys    = 200
	cacheLives   = 500 * time.Millisecond
)

type cacheEntry struct {
	text    string
	expires time.Time
}

type cacheLoad struct {
	done sync.WaitGroup
	text string
	err  error
}

type cacheStore struct {
	mu      sync.RWMutex
	entries map[string]cacheEntry
	flying  sync.Mutex
	loads   map[string]*cacheLoad
	origin  string
	client  *http.Client
	// Of a sick one.
	between holder // has read-locked, and will again
	upgrade holder
	failed  gauge
	waiting gauge
}

func newCacheStore() *cacheStore {
	return &cacheStore{
		entries: map[string]cacheEntry{},
		loads:   map[string]*cacheLoad{},
		client:  browser(4, 10*time.Second),
		origin: serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(2 * time.Millisecond)
			fmt.Fprintln(w, "what", r.URL.Path, "is at", time.Now())
		})),
	}
}

// fetch asks the origin.
func (c *cacheStore) fetch(ctx context.Context, key string) (string, error) {
	return get(ctx, c.client, c.origin+key)
}

//go:noinline
func (c *cacheStore) put(key, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[key] = cacheEntry{text, time.Now().Add(cacheLives)}
}

// load fetches once for all who want the key now.
//
//go:noinline
func (c *cacheStore) load(ctx context.Context, key string) (string, error) {
	c.flying.Lock()
	if one, there := c.loads[key]; there {
		c.flying.Unlock()
		one.done.Wait()
		return one.text, one.err
	}
	one := new(cacheLoad)
	one.done.Add(1)
	c.loads[key] = one
	c.flying.Unlock()

	one.text, one.err = c.fetch(ctx, key)
	if one.err == nil {
		c.put(key, one.text)
	}
	one.done.Done()
	c.flying.Lock()
	delete(c.loads, key)
	c.flying.Unlock()
	return one.text, one.err
}

//go:noinline
func (c *cacheStore) get(ctx context.Context, key string) (string, error) {
	c.mu.RLock()
	entry, there := c.entries[key]
	c.mu.RUnlock()
	if there && time.Now().Before(entry.expires) {
		return entry.text, nil
	}
	return c.load(ctx, key)
}

// sweep removes what has expired.
//
//go:noinline
func (c *cacheStore) sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for key, entry := range c.entries {
		if now.After(entry.expires) {
			delete(c.entries, key)
		}
	}
}

// size is for those that do not have the lock.
//
//go:noinline
func (c *cacheStore) size() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.entries)
}

// describe calls size, and has the lock.
//
//go:noinline
func (c *cacheStore) describe(key string) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	c.between.takes()
	entry := fmt.Sprintf("%s: %s", key, c.entries[key].text)
	entry = fmt.Sprintf("%s of %d", entry, c.size())
	c.between.gives()
	return entry
}

// renew reads, and writes before it gives up reading.
//
//go:noinline
func (c *cacheStore) renew(key string) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	entry, there := c.entries[key]
	if there && time.Now().After(entry.expires) {
		c.upgrade.takes()
		c.put(key, entry.text)
	}
	return entry.text
}

var errCacheGone = errors.New("it is gone")

// replace leaves the lock locked if there is nothing to replace.
//
//go:noinline
func (c *cacheStore) replace(key, text string) error {
	c.waiting.begins()
	c.mu.Lock()
	c.waiting.ends()
	if _, there := c.entries[key]; !there {
		c.failed.begins()
		return errCacheGone
	}
	c.entries[key] = cacheEntry{text, time.Now().Add(time.Hour)}
	c.mu.Unlock()
	return nil
}

// cacheServer serves the store's entries, and something else by what is given.
func cacheServer(c *cacheStore, other func(key string)) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		text, err := c.get(r.Context(), r.URL.Path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		fmt.Fprintln(w, text)
	})
	mux.HandleFunc("/other/", func(w http.ResponseWriter, r *http.Request) { other(r.URL.Path[len("/other"):]) })
	base, client := serve(mux), browser(cacheClients, 3*time.Second)
	clients(cacheClients, 20*time.Millisecond, func(r *rand.Rand) {
		path := fmt.Sprintf("/%d", r.Intn(cacheKeys))
		if r.Intn(4) == 0 {
			path = "/other" + path
		}
		get(context.Background(), client, base+path)
	})
}

func (c *cacheStore) sweepOften() {
	for range time.Tick(50 * time.Millisecond) {
		c.sweep()
	}
}

func init() {
	services["cache"] = service{
		healthy: func() {
			c := newCacheStore()
			cacheServer(c, func(key string) { c.size() })
			go c.sweepOften()
		},
		sick: map[string]func() sickness{
			"read-locked twice beside a writer": func() sickness {
				c := newCacheStore()
				cacheServer(c, func(key string) { c.describe(key) })
				go c.sweepOften()
				var one int64
				return sickness{
					// A writer waits for a reader that will read-lock again, and has not done so for long.
					reached: stays(func() bool {
						last := one
						one = c.between.is()
						if one == 0 || one != last {
							return false
						}
						if c.mu.TryRLock() {
							c.mu.RUnlock()
							return false
						}
						return true
					}),
					findings: func() []finding {
						return []finding{{Kinds: []string{"lock_cycle"}, Names: []string{"main.(*cacheStore).describe"}}}
					},
				}
			},
			"read-locked, then written": func() sickness {
				c := newCacheStore()
				cacheServer(c, func(key string) { c.renew(key) })
				return sickness{
					reached: func() bool { return c.upgrade.is() != 0 },
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"lock_cycle"}, Names: []string{"main.(*cacheStore).renew"},
							Holders: []int64{c.upgrade.is()},
						}}
					},
				}
			},
			"not unlocked after an error": func() sickness {
				c := newCacheStore()
				cacheServer(c, func(key string) { c.replace(key, "new") })
				go func() {
					for range time.Tick(time.Second) {
						c.sweep()
					}
				}()
				return sickness{
					reached: func() bool { return c.failed.now() > 0 && c.waiting.now() >= cacheClients/4 },
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"lock_abandoned"},
							Names: []string{"main.(*cacheStore).replace|main.(*cacheStore).get|main.(*cacheStore).sweep|main.(*cacheStore).put"},
						}}
					},
				}
			},
		},
	}
}
