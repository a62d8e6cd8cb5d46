// SPDX-License-Identifier: Apache-2.0

package main

import "strings"

type three struct{ A, B, C int }

// What the compiler keeps of these is less than all of them: it tells of the rest not at all. Others
// state them, for whoever states a variable uses it.
//
//go:noinline
func sized(s, t string, list []int, any interface{}, p three) int {
	ready.Done()
	<-never
	_, is := any.(int)
	if is {
		return 0
	}
	return len(s) + len(t) + len(list) + cap(list) + p.A + p.C
}

//go:noinline
func listOf(n int) []int { return make([]int, n, 2*n) }

//go:noinline
func threeOf(n int) three { return three{n, 10 * n, 100 * n} }

//go:noinline
func measured(n int) int {
	list, p := listOf(n), threeOf(n)
	ready.Done()
	<-never
	return len(list) + cap(list) + p.A + p.C
}

func measures(n int) func() {
	s, list, p := strings.Repeat("s", n), listOf(n), threeOf(n)
	return func() {
		length, sizes, sum := len(s), len(list)+cap(list), p.A+p.C
		ready.Done()
		<-never
		sink(length, sizes, sum, len(s), len(list), cap(list), p.A, p.C)
	}
}

func startParts() object {
	s, list, p := strings.Repeat("s", 6), listOf(6), threeOf(6)
	start(func() { sized(s, s+"t", list, s, p) })
	start(func() { measured(6) })
	start(measures(6))
	ready.Wait()
	return object{
		"main.sized": inStatement(object{"s": s, "t": s + "t", "list": list, "any": s,
			"p": p}),
		"main.measured":       inStatement(object{"list": list, "p": p}),
		"main.measures.func1": inStatement(object{"s": s, "list": list, "p": p}),
	}
}
