// SPDX-License-Identifier: Apache-2.0

// Subject whose memory is full of secrets: under names, types and shapes that tell them, and where
// the same bytes have no such name. None of them is in its code. It says what they are.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	dicing "math/rand"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"subjects/truth"
	"sync"
	"time"
)

var planted = map[string]string{}
var mu sync.Mutex

// The test chooses the seed of random data, so that a failure can be repeated. Keys come from crypto/rand and vary.
var dice = func() *dicing.Rand {
	seed, _ := strconv.ParseInt(os.Getenv("GOSNAP_SUBJECT_SEED"), 10, 64)
	return dicing.New(dicing.NewSource(seed))
}()
var waiting sync.WaitGroup

func note(where, secret string) {
	mu.Lock()
	defer mu.Unlock()
	if where != "" {
		planted[where] = secret
	}
}

func random(n int) []byte {
	b := make([]byte, n)
	mu.Lock()
	defer mu.Unlock()
	// Not by Read: the generator's state would contain seven bytes of a secret in a row.
	for i := range b {
		b[i] = byte(dice.Intn(256))
	}
	return b
}

// letters that nothing else in the process's document begins with by chance.
func letters(n int) string {
	s := random(n)
	for i, b := range s {
		s[i] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[b%52]
	}
	return string(s)
}

// plant makes one that looks like nothing.
func plant(where string) string {
	s := letters(24)
	note(where, s)
	return s
}

// shaped is known by what it looks like: only its own part is the secret.
func shaped(where, before, secret, after string) string {
	note(where, secret)
	return before + secret + after
}

func b64(n int) string { return base64.RawURLEncoding.EncodeToString(random(n)) }

func jwt() string {
	head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`))
	return head + "." + b64(30) + "." + b64(32)
}

func privateKey() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: random(200)}))
}

// card has a check digit that is right.
func card() string {
	digits, sum := "4", 0
	for _, b := range random(14) {
		digits += string(rune('0' + b%10))
	}
	for i := 0; i < 15; i++ {
		d := int(digits[14-i] - '0')
		if i%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return digits + string(rune('0'+(10-sum%10)%10))
}

type account struct {
	User     string
	Password string
	APIKey   []byte
	Session  *state
	Pin      [4]byte
	Token    [16]byte
	Card     int64
	Tags     map[string]string
}

type state struct{ Content string }
type pair struct{ Name, Value string }
type tokenKey struct{}
type failure struct{ text string }

func (f *failure) Error() string { return f.text }

// Functions that only newer releases compile.
var ofNewer []func(chan int)
var config = map[string]interface{}{}
var dbPassword string
var clientSecret []byte

//go:noinline
func wait(c chan int) int {
	waiting.Done()
	return <-c
}

// inner has the same bytes under names that say nothing.
//
//go:noinline
func inner(s string, b []byte, letters []rune, part string, n int64, array [16]byte, c chan int) {
	upper := "<" + s + ">"
	err := fmt.Errorf("cannot use %s: %w", s, &failure{"it is " + s})
	copied := append([]byte("prefix "), b...)
	var any interface{} = s
	wait(c)
	runtime.KeepAlive(upper)
	runtime.KeepAlive(err)
	runtime.KeepAlive(copied)
	runtime.KeepAlive(any)
	runtime.KeepAlive(letters)
	runtime.KeepAlive(part)
	runtime.KeepAlive(array)
	println(s, len(b), n)
}

func digits(s string) (n int64) {
	for _, c := range s {
		n = n*10 + int64(c-'0')
	}
	return n
}

//go:noinline
func byName(c chan int) {
	password := plant("a variable")
	secretBytes := []byte(plant("a slice"))
	var authToken [16]byte
	copy(authToken[:], plant("an array"))
	note("an array", string(authToken[:]))
	cardNumber := card()
	note("a number by its name", cardNumber)
	accountNumber := digits(cardNumber)
	a := &account{User: "bob", Password: plant("a field"), APIKey: []byte(plant("a field of bytes")),
		Session: &state{plant("inside")}, Card: digits(card()),
		Tags: map[string]string{"db_password": plant("an entry")}}
	note("a field's number", fmt.Sprint(a.Card))
	copy(a.Token[:], plant("a field's array"))
	note("a field's array", string(a.Token[:]))
	header := http.Header{"Authorization": {plant("a header")}, "Cookie": {plant("a cookie")}}
	pairs := []pair{{"X-Api-Key", plant("a pair")}, {"Host", "example.org"}}
	var sessions = map[string]int{plant("a key"): 1}
	ctx := context.WithValue(context.Background(), tokenKey{}, plant("a context's value"))
	ctx = context.WithValue(ctx, "password", plant("a value of a key that is a string"))
	tokens := make(chan string, 2)
	tokens <- plant("a channel's element")
	inner(password, secretBytes, []rune(password), password[4:], accountNumber, authToken, c)
	runtime.KeepAlive(a)
	runtime.KeepAlive(header)
	runtime.KeepAlive(pairs)
	runtime.KeepAlive(sessions)
	runtime.KeepAlive(ctx)
	runtime.KeepAlive(tokens)
	println(password, string(secretBytes), string(authToken[:]), cardNumber, accountNumber)
}

//go:noinline
func byType(c chan int) {
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	note("a key's number", string(reversed(key.D.Bytes())))
	where, _ := url.Parse("https://bob:" + plant("a password in an address") + "@example.org/x")
	cookie := http.Cookie{Name: "theme", Value: plant("a cookie's value")}
	d, fraction := key.D, new(big.Rat).SetInt(key.D) // which is a copy
	noteText("a key's number in decimal", d.String)
	wait(c)
	runtime.KeepAlive(key)
	println(where.Host, cookie.Name, d.BitLen(), fraction.Sign())
}

// reversed: as a big.Int has it in memory.
func reversed(b []byte) []byte {
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return b
}

//go:noinline
func byShape(c chan int) {
	a := jwt()
	note("a JWT", a[len(a)-30:])
	b := privateKey()
	note("a PEM", b[40:100])
	d := shaped("a cloud key", "AKIA", b64(30)[:0]+upper(16), "")
	e := shaped("a card", "pay with ", card(), ", please")
	f := shaped("an address", "postgres://bob:", letters(24), "@db/x")
	g := []byte("POST /login HTTP/1.1\r\nHost: x\r\n" +
		shaped("a raw header", "Authorization: Basic ", letters(24), "\r\n\r\n") +
		shaped("a body", `{"user":"bob","password":"`, letters(24), `"}`))
	h := errors.New(shaped("an error", `Get "http://x/?token=`, letters(24), `": refused`))
	number := card()
	note("a number by its shape", number)
	i := digits(number)
	long := string(make([]byte, 490)) + shaped("cut off", "password=", letters(24), "")
	m := map[string]string{"x": shaped("a value of a map", "sk_live_", b64(30), "")}
	wait(c)
	println(a, b, d, e, f, len(g), h, i, long, len(m))
}

func upper(n int) (s string) {
	for _, b := range random(n) {
		s += string(rune('A' + b%26))
	}
	return s
}

//go:noinline
func panicking(password string, c chan int) {
	defer func() {
		wait(c)
		println(recover() != nil, password)
	}()
	panic("not allowed: " + password)
}

func labelled(c chan int) {
	labels := pprof.Labels("api_token", plant("a label"), "note",
		shaped("a label's value", "password=", letters(24), ""))
	pprof.Do(context.Background(), labels, func(context.Context) { wait(c) })
}

func say() {
	said := map[string]string{}
	for where, secret := range planted {
		said[where] = hex.EncodeToString([]byte(secret))
	}
	truth.Say(map[string]interface{}{"planted": said})
}

func main() {
	debug.SetGCPercent(-1) // else what a dead variable points to has others by now
	for i, word := range os.Args[1:] {
		if len(word) >= 24 {
			note(fmt.Sprint("argument ", i), word[len(word)-24:])
		}
	}
	note("the environment", os.Getenv("SERVICE_PASSWORD"))
	noteEnvironment()
	copied := []byte(os.Getenv("SERVICE_PASSWORD"))
	dbPassword, clientSecret = plant("a global"), []byte(plant("a global of bytes"))
	config["token"] = plant("an entry of a global")
	settlePaths()
	c := make(chan int)
	functions := []func(chan int){byName, byType, byShape, labelled,
		func(c chan int) { panicking(plant("a panic"), c) },
		containers, numbers, kept, byArgument, encoded, pieces, texts, failing,
		ofCommandLine, madeOfSecrets, written, writtenNumbers, certified, binaryKeys, arguments, signed,
		escapes, inPath, registers, tokens, inPackage, farAway, garbled, forms, shownForms, preciseForms}
	functions = append(append(functions, pairs()...), latePairs()...)
	functions = append(functions, ofNewer...)
	waiting.Add(len(functions) + 1)
	for _, f := range functions {
		go f(c)
	}
	startArrays(c)
	waiting.Done()
	waiting.Wait()
	waiting.Add(1)
	settleRegisters()
	say()
	planted = nil
	go time.Sleep(time.Hour) // else all of them waited for ever
	os.Stdout.WriteString("READY\n")
	wait(c)
	println(len(copied), dbPassword, len(clientSecret), len(config))
	usePaths()
	runtime.KeepAlive(functions) // else their memory has others by now
}
