// SPDX-License-Identifier: Apache-2.0

package main

func init() {
	cases = append(cases,
		func() { go descendant(12) },
		func() { go deepParent(200) },
		func() { startInlined("ancestors: inlined") },
	)
}

// descendant has n goroutines between itself and main, that still live or do not.
func descendant(n int) {
	if n == 0 {
		park("ancestors: many")
	}
	done := make(chan bool)
	go func() {
		if n%2 == 0 {
			close(done)
		}
		descendant(n - 1)
	}()
	<-done
}

// deepParent is in more calls than the runtime keeps.
//
//go:noinline
func deepParent(n int) int {
	if n == 0 {
		go park("ancestors: of deep calls")
		select {}
	}
	return deepParent(n-1) + 1
}

func startInlined(name string) { go park(name) }
