// SPDX-License-Identifier: Apache-2.0

//go:build linux && !go1.23
// +build linux,!go1.23

package gosnap

const canSetCrashOutput = false

func connectCrashOutput(int) error { return errNeedsStandardError }
