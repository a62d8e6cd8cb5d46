// SPDX-License-Identifier: Apache-2.0

// Subject: parts of private keys, each by itself and in several forms, in goroutines that do not have the key; and
// private keys in JSON (RFC 7517), and what is made of their numbers.
package main

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"runtime"
	"subjects/truth"
)

var (
	planted = map[string]string{}
	never   = make(chan bool)
)

// has is what a goroutine has that knows no key.
type has struct {
	value interface{}
}

//go:noinline
func waits(h *has) {
	var known interface{} = h // by a type that a stripped program has
	<-never
	runtime.KeepAlive(&known)
	runtime.KeepAlive(h)
}

// room makes the stack large, and leaves nothing of what was below.
//
//go:noinline
func room(i int) byte {
	var zeros [32 << 10]byte
	return zeros[i]
}

// apart runs on another stack, which keeps nothing of it.
func apart(run func()) {
	done := make(chan bool)
	go func() {
		room(0)
		run()
		room(0)
		close(done)
	}()
	<-done
}

func plant(where, text string) *has {
	planted[where] = hex.EncodeToString([]byte(text))
	return &has{where + " is " + text + ", or so"}
}

func numbers(part []byte) string {
	wide := make([]int, len(part))
	for i, b := range part {
		wide[i] = int(b)
	}
	text, _ := json.Marshal(wide)
	return string(text[1 : len(text)-1])
}

// inForms gives each form of a part to a goroutine of its own.
func inForms(what string, part []byte) {
	for form, text := range map[string]string{
		"hexadecimal": hex.EncodeToString(part),
		"base64url":   base64.RawURLEncoding.EncodeToString(part),
		"base64":      base64.StdEncoding.EncodeToString(part),
		"decimal":     new(big.Int).SetBytes(part).String(),
		"numbers":     numbers(part),
	} {
		go waits(plant(what+" in "+form, text))
	}
}

func keepKey(key interface{}) {
	go waits(&has{key})
}

func number(n *big.Int) string {
	return base64.RawURLEncoding.EncodeToString(n.Bytes())
}

// field is what go-jose has for a number of a key.
type field struct {
	data []byte
}

type webKey struct {
	Kty, Kid string
	X, D, K  *field
}

// inJSON are keys that nothing else tells.
func inJSON() {
	seed, _, _ := ed25519.GenerateKey(rand.Reader)
	d := base64.RawURLEncoding.EncodeToString(seed)
	planted["d in JSON"] = hex.EncodeToString([]byte(d))
	go waits(&has{`{"kty":"OKP","crv":"Ed25519","kid":"first","d":"` + d + `","x":"public"}`})
	go waits(plant("d of JSON in hexadecimal", hex.EncodeToString(seed)))

	key, _ := rsa.GenerateKey(rand.Reader, 1024)
	texts := map[string]string{"kty": "RSA", "d": number(key.D), "p": number(key.Primes[0]), "q": number(key.Primes[1]),
		"n": "public", "e": "AQAB"}
	for _, name := range []string{"d", "p", "q"} {
		planted["RSA's "+name+" in JSON"] = hex.EncodeToString([]byte(texts[name]))
	}
	inner, _ := json.Marshal(texts)
	outer, _ := json.Marshal(map[string]string{"config": string(inner)})
	go waits(&has{outer})
	go waits(plant("RSA's p of JSON in decimal", key.Primes[0].String()))

	secret := make([]byte, 40)
	rand.Read(secret)
	k := base64.RawURLEncoding.EncodeToString(secret)
	planted["k in a map"] = hex.EncodeToString([]byte(k))
	go waits(&has{map[string]interface{}{"kty": "oct", "kid": "third", "k": k}})
	go waits(plant("k of a map in hexadecimal", hex.EncodeToString(secret)))

	fourth := make([]byte, 32)
	rand.Read(fourth)
	planted["d in a struct"] = hex.EncodeToString(fourth)
	go waits(&has{&webKey{Kty: "EC", Kid: "fourth", X: &field{[]byte("public x of the key")}, D: &field{fourth}}})
	go waits(plant("d of a struct in hexadecimal", hex.EncodeToString(fourth)))
}

// inPEM are keys that programs have as texts.
func inPEM() {
	_, signing, _ := ed25519.GenerateKey(rand.Reader)
	der, _ := x509.MarshalPKCS8PrivateKey(signing)
	keepKey(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
	go waits(plant("the seed of PEM in hexadecimal", hex.EncodeToString(signing.Seed())))
	pair, _ := rsa.GenerateKey(rand.Reader, 1024)
	keepKey(x509.MarshalPKCS1PrivateKey(pair))
	go waits(plant("a prime of DER in decimal", pair.Primes[1].String()))
	go waits(plant("the exponent of DER in base64url", number(pair.D)))
	curve, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	der, _ = x509.MarshalECPrivateKey(curve)
	keepKey(base64.StdEncoding.EncodeToString(der))
	go waits(plant("the scalar of base64 in hexadecimal", hex.EncodeToString(curve.D.Bytes())))
	modulus = pair.N.String()
	go waits(&has{"public: " + modulus})
}

var modulus string

func main() {
	public, signing, _ := ed25519.GenerateKey(rand.Reader)
	apart(func() { inForms("the seed of ed25519", signing.Seed()) })
	keepKey(signing)
	pair, _ := rsa.GenerateKey(rand.Reader, 1024)
	apart(func() {
		inForms("a prime of RSA", pair.Primes[0].Bytes())
		inForms("the other prime of RSA", pair.Primes[1].Bytes())
		inForms("RSA's exponent", pair.D.Bytes())
	})
	keepKey(pair)
	curve, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	apart(func() { inForms("ECDSA's scalar", curve.D.Bytes()) })
	keepKey(curve)
	apart(exchanged)
	apart(inJSON)
	apart(inPEM)
	go waits(&has{"public: " + hex.EncodeToString(public)})
	for i := 0; i < 2; i++ {
		runtime.GC()
	}
	truth.Say(map[string]interface{}{"planted": planted, "public": []string{hex.EncodeToString(public), modulus}})
	planted = nil
	truth.EndWithStdin()
	fmt.Println("READY")
	runtime.KeepAlive(os.Args)
	<-never
}
