// SPDX-License-Identifier: Apache-2.0

package main

// extern void calledBack(void);
// static void calls_back(void) { calledBack(); }
import "C"

var inCallback func()

//export calledBack
func calledBack() { inCallback() }

// C calls back into Go, which stands still there with the lock.
func init() {
	withC = func() {
		mutex("held while C calls back", func(s *spot) {
			inCallback = s.here
			s.mu.Lock()
			defer s.mu.Unlock()
			C.calls_back()
		})
	}
}
