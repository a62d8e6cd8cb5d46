// SPDX-License-Identifier: Apache-2.0

//go:build !linux
// +build !linux

package gosnap

import "os"

func take(*Options, *request) (Snapshot, error) { return Snapshot{}, ErrUnsupported }

func monitor(*Options, *request) error { return ErrUnsupported }

func registrable([]os.Signal) []os.Signal { return nil }

func endsProgram(os.Signal) bool { return false }

func sendAgain(os.Signal) {}

func numberOf(os.Signal) string { return "" }
