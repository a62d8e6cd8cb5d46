// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	begin()
	if os.Getenv("WHERE") == "main" {
		end()
	}
	os.Exit(m.Run())
}

func TestIndex(t *testing.T) {
	if os.Getenv("WHERE") == "test" {
		end()
	}
}
