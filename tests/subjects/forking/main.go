// SPDX-License-Identifier: Apache-2.0

// Subject that starts one child after another: for a good part of its time it waits for one to
// become another program, on a stack that the two of them share meanwhile.
package main

import (
	"os/exec"
	"subjects/truth"
)

//go:noinline
func forks() {
	for {
		if err := exec.Command("/bin/true").Run(); err != nil {
			panic(err)
		}
	}
}

func main() {
	truth.EndWithStdin()
	truth.Ready()
	forks()
}
