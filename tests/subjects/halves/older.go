// SPDX-License-Identifier: Apache-2.0

//go:build !go1.20
// +build !go1.20

package main

func exchanged() {}
