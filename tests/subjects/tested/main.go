// SPDX-License-Identifier: Apache-2.0

// tested is a module that has a copy of the package gosnap among what it vendors. It and its tests die, or go
// on, as HOW and WAY say, which are in the environment.
package main

import (
	"fmt"
	"os"

	"gosnap.invalid/gosnap"
)

type index struct{ seen map[string]int }

//go:noinline
func (x *index) add(word string) { x.seen[word]++ }

func begin() {
	gosnap.Configure(gosnap.Options{Program: os.Getenv("PROGRAM"), Folder: os.Getenv("FOLDER"), Every: -1})
	switch os.Getenv("HOW") {
	case "monitor":
		fmt.Println(gosnap.Monitor())
	case "standard-error":
		fmt.Println(gosnap.Monitor(gosnap.StandardError()))
	default:
		fmt.Println(nil)
	}
}

func end() {
	if os.Getenv("HOW") == "recover" {
		defer gosnap.Recover()
	}
	x := &index{}
	if os.Getenv("WAY") == "returns" {
		x.seen = map[string]int{}
	}
	x.add("one")
}

func main() {
	begin()
	end()
}
