// SPDX-License-Identifier: Apache-2.0

//go:build go1.20
// +build go1.20

package main

import (
	"crypto/ecdh"
	"crypto/rand"
)

func exchanged() {
	x, _ := ecdh.X25519().GenerateKey(rand.Reader)
	inForms("the scalar of X25519", x.Bytes())
	keepKey(x)
	p, _ := ecdh.P256().GenerateKey(rand.Reader)
	inForms("the scalar of ECDH", p.Bytes())
	keepKey(p)
}
