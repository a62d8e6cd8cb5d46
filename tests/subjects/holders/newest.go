// SPDX-License-Identifier: Apache-2.0

//go:build go1.21
// +build go1.21

package main

import (
	"context"
	"sync"
)

func init() {
	newest = func() {
		mutex("in sync.OnceFunc", func(s *spot) {
			once := sync.OnceFunc(func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.here()
			})
			once()
		})
		mutex("in context.AfterFunc", func(s *spot) {
			ctx, cancel := context.WithCancel(context.Background())
			context.AfterFunc(ctx, func() {
				s.mu.Lock()
				s.here()
				s.mu.Unlock()
			})
			cancel()
		})
	}
}
