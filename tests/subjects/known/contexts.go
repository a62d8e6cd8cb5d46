// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"time"
)

type userKey struct{}
type traceKey string

type user struct {
	ID   int
	Name string
}

// ownContext is one that package context does not know.
type ownContext struct {
	name string
	context.Context
}

var (
	background      = context.Background()
	todo            = context.TODO()
	nobody          context.Context
	withUser        = context.WithValue(background, userKey{}, &user{42, "ann"})
	withBoth        = context.WithValue(withUser, traceKey("trace"), "abc")
	withText        = context.WithValue(background, "plain", 7)
	ofAnother       = context.Context(&ownContext{"own", withText})
	alive, stop     = context.WithCancel(withBoth)
	inTime, end     = context.WithTimeout(alive, time.Hour)
	cancelled, over = context.WithCancel(withUser)
	ended, finish   = context.WithTimeout(background, time.Nanosecond)
	belowEnded, _   = context.WithCancel(context.WithValue(ended, userKey{}, nil))
	atOnce, never   = context.WithDeadline(background, time.Date(2020, 2, 2, 2, 2, 2, 0, time.UTC))
)

func contexts() {
	over()
	<-ended.Done()
	keep(&background, &todo, stop, end, finish, never, belowEnded, ofAnother, &nobody)
	for name, text := range map[string]string{
		"background": "background",
		"todo":       "todo",
		"withUser":   "background, values of main.userKey",
		"withBoth":   `background, values of main.traceKey("trace"), main.userKey`,
		"withText":   `background, values of "plain"`,
		"nobody":     "",
		"alive":      `not done, values of main.traceKey("trace"), main.userKey`,
		"inTime":     `~not done, deadline in (5[0-9]m[0-9]+s|1h0m0s), values of main.traceKey\("trace"\), main.userKey`,
		"cancelled":  cancelled.Err().Error() + ", values of main.userKey",
		"ended":      "~" + ended.Err().Error() + ", deadline ([0-9]+m)?[0-9.]+m?s ago",
		"belowEnded": "~" + ended.Err().Error() + ", deadline ([0-9]+m)?[0-9.]+m?s ago, values of main.userKey",
		"atOnce":     "~" + atOnce.Err().Error() + ", deadline [0-9]+h[0-9]+m[0-9]+s ago",
	} {
		said[name] = text
	}
	deadline, _ := inTime.Deadline()
	extras["chains"] = object{
		"inTime": []object{{"kind": "deadline", "deadline": deadline.UTC().Format(time.RFC3339Nano)},
			{"kind": "cancel"}, {"kind": "value", "key": "main.traceKey", "value": "string"},
			{"kind": "value", "key": "main.userKey", "value": "*main.user"},
			{"kind": "background"}},
		"cancelled": []object{{"kind": "cancel", "error": cancelled.Err().Error()},
			{"kind": "value", "key": "main.userKey", "value": "*main.user"},
			{"kind": "background"}},
		"ofAnother": []object{{"kind": "other", "type": "main.ownContext"},
			{"kind": "value", "key": "string", "value": "int"}, {"kind": "background"}},
	}
}
