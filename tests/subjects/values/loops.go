//go:build go1.23
// +build go1.23

// SPDX-License-Identifier: Apache-2.0

package main

//go:noinline
func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// The body of the inner loop waits, which sees what is around both loops.
//
//go:noinline
func loops(limit int, name string) (sum int) {
	words := []string{name, "word"}
	for i := range upTo(limit) {
		sum += i
		for j := range upTo(limit) {
			sum += j
			if i == 1 && j == 1 {
				mu.Lock()
				inLoops = inStatement(object{"limit": limit, "name": name, "words": words,
					"sum": sum})
				mu.Unlock()
				ready.Done()
				<-never
			}
			sink(words, name, limit, sum)
		}
		sink(words, name, limit)
	}
	sink(words, name, limit)
	return sum
}

func init() {
	startLoops = func() { start(func() { loops(3, "loop") }) }
}
