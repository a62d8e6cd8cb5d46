// SPDX-License-Identifier: Apache-2.0

//go:build go1.21
// +build go1.21

package main

import (
	"context"
	"subjects/truth"
	"time"
)

func init() {
	cases["begun by the end of a context"] = func() {
		before := truth.Count()
		ctx := expired()
		context.AfterFunc(ctx, func() {
			truth.Below("sleeps", "sleep")
			time.Sleep(time.Hour)
			uses(ctx)
		})
		truth.Await(before + 1)
	}
	cases["does not end with its parent"] = func() {
		ctx := context.WithoutCancel(expired())
		parks(func() { goesOn(ctx) })
	}
}
