// SPDX-License-Identifier: Apache-2.0

// hasty panics before main begins; with an argument it waits for the end of its input.
package main

import (
	"io"
	"os"
)

func init() {
	if len(os.Args) == 1 {
		panic("at once")
	}
}

func main() {
	io.Copy(io.Discard, os.Stdin)
}
