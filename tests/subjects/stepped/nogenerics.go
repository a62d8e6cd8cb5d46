//go:build !go1.18
// +build !go1.18

// SPDX-License-Identifier: Apache-2.0

package main

func generic() {}
