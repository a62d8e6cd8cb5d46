// SPDX-License-Identifier: Apache-2.0

// Subject: a server under a load that checks every answer, with everything beside it that a
// process can lose while it is held: timers, pipes, descriptors, signals, words in memory
// that belong together.
//
//	served serve [-goroutines N] [-tied N] [-rivals N] [-churn]
//	served load [-connections N] ADDRESS
//
// Both answer to the lines that they read, with one object for each.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"subjects/truth"
)

func main() {
	arguments := os.Args[1:]
	switch {
	case len(arguments) > 0 && arguments[0] == "serve":
		serve(arguments[1:])
	case len(arguments) > 0 && arguments[0] == "load":
		load(arguments[1:])
	default:
		fmt.Fprintln(os.Stderr, "usage: served serve|load")
		os.Exit(2)
	}
}

type commands map[string]func(words []string) interface{}

// obey ends the process with its standard input.
func obey(known commands) {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || known[words[0]] == nil {
			truth.Say(map[string]string{"unknown": lines.Text()})
			continue
		}
		truth.Say(known[words[0]](words[1:]))
	}
	os.Exit(0)
}
