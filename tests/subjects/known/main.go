// SPDX-License-Identifier: Apache-2.0

// Subject with values of the types that people know by what they mean: it says what it would print
// of each itself.
package main

import (
	"runtime/debug"
	"subjects/truth"
)

type object = map[string]interface{}

var kept []interface{}

//go:noinline
func keep(values ...interface{}) { kept = append(kept, values...) }

// said is what the program says of its variables: a text, a list of them for the elements of a
// slice; "~" before a text: it is a pattern.
var said = object{}

// extras are the other statements.
var extras = object{}

// more is what only later releases have.
var more []func()

func main() {
	debug.SetGCPercent(-1) // a pool is emptied by it
	contexts()
	library()
	channels()
	tables()
	for _, f := range more {
		f()
	}
	truth.Say(object{"said": said, "extras": extras})
	truth.Ready()
	truth.EndWithStdin()
	select {}
}
