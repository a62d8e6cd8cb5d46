// SPDX-License-Identifier: Apache-2.0

//go:build go1.21
// +build go1.21

package main

import (
	"log/slog"
	"strings"
)

//go:noinline
func logs(a *slog.Attr, c chan int) {
	wait(c)
	println(a.Key, a)
}

func init() {
	a := slog.String("password", plant("an attribute of a log"))
	copied := strings.Clone(a.Value.String())
	ofNewer = append(ofNewer, func(c chan int) { logs(&a, c) },
		func(c chan int) { apart(copied, &login{User: "bob"}, c) })
}
