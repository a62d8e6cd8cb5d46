// SPDX-License-Identifier: Apache-2.0

//go:build go1.23
// +build go1.23

package main

import "slices"

func init() {
	cases = append(cases, func() { go deferInRangeOverFunc() })
}

//go:noinline
func deferInRangeOverFunc() {
	defer first()
	list := []expected{by(name(first))}
	owner := list[0].By
	for _, f := range slices.Backward([]func(){second, third}) {
		defer f()
		list = append([]expected{{[]string{name(f)}, owner}}, list...)
	}
	pending("range over a function", list...)
}
