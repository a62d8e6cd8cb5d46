// SPDX-License-Identifier: Apache-2.0

package main

import (
	"sort"
	"subjects/truth"
	"sync"
)

// still returns true once f has been true so often in succession: who was about to go on has done so since.
func still(f func() bool) func() bool {
	const often = 30
	n := 0
	return func() bool {
		if n++; !f() {
			n = 0
		}
		return n >= often
	}
}

// stillRing is what is right of a holder of a lock that waits at a channel, while who would let it go on waits for that
// lock, or for what it would do next: the ring, or the holder and where it waits.
func stillRing(holder, other string, holders ...int64) []finding {
	return []finding{
		{Kinds: []string{"wait_cycle"}, Names: []string{holder, other}, Holders: holders},
		{Kinds: []string{"lock_held"}, Names: []string{holder}, Holders: holders},
	}
}

// A holding is the goroutines that have something at the same time, or each one of its kind.
type holding struct {
	mu sync.Mutex
	by map[int64]int
}

func (h *holding) takes() {
	id := truth.Goid()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by == nil {
		h.by = map[int64]int{}
	}
	h.by[id]++
}

func (h *holding) gives() {
	id := truth.Goid()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by[id]--; h.by[id] == 0 {
		delete(h.by, id)
	}
}

func (h *holding) are() []int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	ret := []int64{}
	for id := range h.by {
		ret = append(ret, id)
	}
	sort.Slice(ret, func(i, k int) bool { return ret[i] < ret[k] })
	return ret
}
