// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"runtime/pprof"
	"strings"
)

func init() {
	cases = append(cases,
		func() { go labelled(context.Background(), "one", "key", "value") },
		func() { go labelled(context.Background(), "empty", "", "") },
		func() { go labelled(context.Background(), "any bytes", "ключ", "\xff\x00\"", "a\nb", "\t") },
		func() { go labelled(context.Background(), "twice", "a", "1", "a", "2") },
		func() { go labelled(context.Background(), "long", "a", strings.Repeat("long", 2000)) },
		startNested,
		func() {
			go pprof.Do(context.Background(), pprof.Labels("a", "b"), func(context.Context) {
				pprof.SetGoroutineLabels(context.Background())
				state("labels", map[string]string{})
				park("cleared")
			})
		},
	)
	// A map of up to 8 has one bucket; larger ones are met in the middle of their growth.
	for n := 0; n < 130; n += 1 + n/8 {
		pairs := many(n)
		cases = append(cases, func() { go labelled(context.Background(), "many", pairs...) })
	}
	shared := pprof.WithLabels(context.Background(), pprof.Labels("shared", "by many"))
	for i := 0; i < 20; i++ {
		cases = append(cases, func() {
			go func() {
				pprof.SetGoroutineLabels(shared)
				stateLabels(shared)
				park("shared")
			}()
		})
	}
}

func many(n int) []string {
	var pairs []string
	for i := 0; i < n; i++ {
		pairs = append(pairs, fmt.Sprint("key", i), fmt.Sprint("value", i))
	}
	return pairs
}

func labelled(ctx context.Context, name string, pairs ...string) {
	pprof.Do(ctx, pprof.Labels(pairs...), func(ctx context.Context) {
		stateLabels(ctx)
		park("labels: " + name)
	})
}

// Both are inherited by goroutines, and one of them is replaced.
func startNested() {
	pprof.Do(context.Background(), pprof.Labels("outer", "1", "both", "1"), func(ctx context.Context) {
		pprof.Do(ctx, pprof.Labels("inner", "2", "both", "2"), func(ctx context.Context) {
			go func() {
				stateLabels(ctx)
				park("labels: inherited")
			}()
		})
	})
}

// stateLabels in hexadecimal: JSON has no place for any bytes.
func stateLabels(ctx context.Context) {
	labels := map[string]string{}
	pprof.ForLabels(ctx, func(key, value string) bool {
		labels[hex.EncodeToString([]byte(key))] = hex.EncodeToString([]byte(value))
		return true
	})
	state("labels", labels)
}
