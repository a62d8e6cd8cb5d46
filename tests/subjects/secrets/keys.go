// SPDX-License-Identifier: Apache-2.0

// Private keys in binary, numbers of keys, and what the arguments of commands and addresses have.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/ioutil"
	"math"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

type UUID [16]byte

func (id UUID) String() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// room makes the stack large, and leaves nothing of what was below.
//
//go:noinline
func room(i int) byte {
	var zeros [32 << 10]byte
	return zeros[i]
}

// noteText notes a text that is made on another stack, which keeps nothing of it.
func noteText(where string, text func() string) {
	done := make(chan bool)
	go func() {
		room(0)
		note(where, text())
		room(0)
		close(done)
	}()
	<-done
}

// madeOfSecrets has values whose texts say in other letters what is withheld beside them.
//
//go:noinline
func madeOfSecrets(c chan int) {
	key, _ := rsa.GenerateKey(rand.Reader, 1024)
	primes := key.Primes
	for i, prime := range primes {
		noteText(fmt.Sprint("a prime in decimal ", i), prime.String)
	}
	exponent := new(big.Int).Set(key.D)
	noteText("a copy of an exponent in decimal", func() string { return exponent.String()[:80] })
	var sessionID UUID
	copy(sessionID[:], random(16))
	id := sessionID
	noteText("a UUID", id.String)
	secretAddress := net.IP(append([]byte{0x20, 1}, random(14)...))
	other := append(net.IP(nil), secretAddress...)
	noteText("an address in letters", other.String)
	holder := struct{ secret []byte }{random(32)}
	number := new(big.Int).SetBytes(holder.secret)
	noteText("bytes as a number in decimal", number.String)
	wait(c)
	runtime.KeepAlive(&holder)
	runtime.KeepAlive(number)
	runtime.KeepAlive(secretAddress)
	runtime.KeepAlive(other)
	runtime.KeepAlive(key)
	runtime.KeepAlive(primes)
	runtime.KeepAlive(exponent)
	println(sessionID[0], id[1])
}

// written is what a program makes of the numbers of keys, and of other numbers.
//
//go:noinline
func written(c chan int) {
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	for key.D.BitLen() <= 248 || key.D.BitLen() > 252 { // of 63 digits
		key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	raw := plantBytes("a number in bytes", key.D.Bytes(), 0, 32)
	inHex := noted("a number in hexadecimal", hex.EncodeToString(raw))
	inBase64 := noted("a number in base64", base64.RawURLEncoding.EncodeToString(raw)[:40])
	decimal := noted("a number in decimal", "d = "+key.D.String())
	digits := noted("a number in as many digits as it has", fmt.Sprintf("%x", key.D))
	capital := noted("a number in capital digits", fmt.Sprintf("%X", key.D))
	pair, _ := rsa.GenerateKey(rand.Reader, 1024)
	prime := plantBytes("a prime in bytes", pair.Primes[1].Bytes(), 0, 64)
	exponent := noted("an exponent in hexadecimal", fmt.Sprintf("%x", pair.D))
	coefficient := noted("a coefficient in decimal", pair.Precomputed.Qinv.String())
	wait(c)
	runtime.KeepAlive([]interface{}{key, pair, raw, prime})
	println(inHex, inBase64, decimal, digits, capital, exponent, coefficient)
}

func noted(where, text string) string {
	note(where, strings.TrimPrefix(text, "d = "))
	return text
}

type keptNumbers struct {
	cipherKey    [4]uint64
	sessionToken uint64
	passcode     *big.Int
}

//go:noinline
func numbersOf(whole, short, small []byte) *keptNumbers {
	n := &keptNumbers{sessionToken: binary.BigEndian.Uint64(short)}
	for i := range n.cipherKey {
		n.cipherKey[3-i] = binary.BigEndian.Uint64(whole[8*i:])
	}
	n.passcode = new(big.Int).SetBytes(small)
	return n
}

// writtenNumbers are secrets by their names.
//
//go:noinline
func writtenNumbers(c chan int) {
	whole := plantBytes("a key in numbers as bytes", random(32), 0, 32)
	short := plantBytes("a short number in bytes", append([]byte{0x81}, random(7)...), 0, 8)
	numbers := numbersOf(whole, short, append([]byte{1}, random(5)...))
	inHex := noted("a short number in hexadecimal", hex.EncodeToString(short))
	decimal := noted("a small big.Int in decimal", numbers.passcode.String())
	wait(c)
	runtime.KeepAlive([]interface{}{numbers, whole, short})
	println(inHex, decimal)
}

// certified has what everybody may know of keys beside them.
//
//go:noinline
func certified(c chan int) {
	key, _ := rsa.GenerateKey(rand.Reader, 1024)
	curve, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	certificate, _ := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	info, _ := x509.MarshalPKIXPublicKey(&curve.PublicKey)
	modulus := key.N.String()
	point := hex.EncodeToString(curve.X.Bytes())
	ofCurve, copied := &curve.PublicKey, new(big.Int).Set(key.N)
	wait(c)
	runtime.KeepAlive([]interface{}{key, curve, ofCurve, copied, template, certificate, info})
	println(modulus, point)
}

// plantBytes leaves nobody a slice of the middle of a key, by which none would know it.
//
//go:noinline
func plantBytes(where string, b []byte, from, to int) []byte {
	note(where, string(b[from:to]))
	return b
}

func openSSH() []byte {
	b := []byte("openssh-key-v1\x00")
	for _, s := range [][]byte{[]byte("none"), []byte("none"), {}} {
		b = append(append(b, 0, 0, 0, byte(len(s))), s...)
	}
	return append(append(b, 0, 0, 0, 1, 0, 0, 0, 32), random(200)...)
}

// encrypted begins as openssl pkcs8 -topk8 has it.
func encrypted() []byte {
	return append([]byte{0x30, 0x82, 1, 0x1e, 0x30, 0x1c, 6, 10, 0x2a, 0x86, 0x48, 0x86, 0xf7, 13,
		1, 12, 1, 3, 0x30, 14, 4, 8, 1, 2, 3, 4, 5, 6, 7, 8, 2, 2, 8, 0, 4, 0x81, 0xfc}, random(252)...)
}

// binaryKeys are without a name that tells. public and request are none.
//
//go:noinline
func binaryKeys(c chan int) {
	key, _ := rsa.GenerateKey(rand.Reader, 1024)
	curve, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	a := plantBytes("a key of PKCS #1", x509.MarshalPKCS1PrivateKey(key), 150, 270)
	der, _ := x509.MarshalPKCS8PrivateKey(key)
	b := plantBytes("a key of PKCS #8", der, 180, 300)
	der, _ = x509.MarshalECPrivateKey(curve)
	d := plantBytes("a key of SEC 1", der, 8, 38)
	e := plantBytes("a key of OpenSSH", openSSH(), 60, 200)
	f := plantBytes("an encrypted key", encrypted(), 60, 200)
	der, _ = x509.MarshalPKCS8PrivateKey(curve)
	g := string(plantBytes("a key in a string", der, 40, 66))
	h := base64.StdEncoding.EncodeToString(b)
	note("a key in base64", h[240:400])
	i := b[500:620:620] // behind what is shown of it
	note("a piece of a key", string(i))
	j := append([]byte(nil), b[500:620]...)
	public, _ := x509.MarshalPKIXPublicKey(&key.PublicKey)
	request, _ := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, curve)
	key, curve, der = nil, nil, nil
	wait(c)
	println(len(a), len(b), len(d), len(e), len(f), g, h, len(i), len(j), len(public), len(request))
}

// arguments of commands, as lists and in one text.
//
//go:noinline
func arguments(c chan int) {
	mysql := []string{"mysql", "-u", "root", "-p" + plant("an argument of mysql"), "shop"}
	sshpass := []string{"sshpass", "-p", plant("an argument of sshpass"), "ssh", "-p", "2222", "x"}
	curl := exec.Command("curl", "-u", "bob:"+plant("an argument of curl"), "https://x")
	tool := []string{"tool", "-p", plant("an argument behind -p")}
	docker := []string{"docker", "run", "-p", "8080:80", "shop"}
	text := shaped("a command line of mysql", "sh -c 'mysql -uroot -p", letters(24), " shop'")
	more := shaped("a command line of sshpass", "sshpass -p ", letters(24), " ssh -p 2222 x")
	last := shaped("a command line of curl", "curl -u bob:", letters(24), " https://x")
	wait(c)
	runtime.KeepAlive([]interface{}{mysql, sshpass, curl, tool, docker})
	println(text, more, last)
}

// signed is what is signed, and what proves who somebody is.
//
//go:noinline
func signed(c chan int) {
	scope := "AKIA" + upper(16) + "/20261122/eu-west-1/s3/aws4_request"
	aws := shaped("a signature of AWS", "https://b.s3/x?X-Amz-Credential="+scope+
		"&X-Amz-Signature=", letters(64), "&x=1")
	azure := shaped("a signature of Azure", "https://a.blob/x?sv=2020-08-04&sig=", letters(40), "%3D&se=1")
	form := url.Values{"sig": {plant("a signature in a form")}, "se": {"2026-11-22"}}
	bot := shaped("a token of a bot", "https://api.telegram.org/bot123456789:", letters(35), "/getMe")
	grant := shaped("an assertion", `{"grant_type":"jwt-bearer","assertion":"`, letters(40), `"}`)
	codes := map[string]string{"auth_code": plant("a code")}
	header := http.Header{"X-Signature": {plant("a header of a signature")}}
	// As an unset pointer may lead to literals: what is found there is in the program's file.
	address := "https://bob:spelled-out-in-it@h/x"
	literal := (*[33]byte)(unsafe.Pointer((*reflect.StringHeader)(unsafe.Pointer(&address)).Data))
	spelled := "spelled-out-in-it"
	pins := struct{ Pin, Bindpw, dbpw string }{plant("a PIN"), plant("a field bindpw"), plant("a field dbpw")}
	wait(c)
	runtime.KeepAlive([]interface{}{form, codes, header, &pins, literal})
	println(aws, azure, bot, grant, scope, spelled)
}

type held struct {
	User     string
	password string
	short    struct{ secret string }
}

// piece is eight letters as a number.
func piece(s string, i int) uint64 { return binary.LittleEndian.Uint64([]byte(s[i:])) }

// registers has pieces of secrets in the registers of a thread, which keeps them while it waits in a
// system call: as arguments that read(2) does not have, and in vector registers, in which floating point
// arguments are passed since Go 1.17.
//
//go:noinline
func registers(c chan int) {
	runtime.LockOSThread()
	h := &held{User: "bob", password: plant("in registers")}
	h.short.secret = letters(5)
	note("a short one in registers", h.short.secret)
	var f [12]float64
	for i := range f {
		f[i] = math.Float64frombits(piece(h.password, i))
	}
	ends[0], ends[1], _ = os.Pipe()
	mu.Lock()
	tids = append(tids, syscall.Gettid())
	mu.Unlock()
	go func() {
		wait(c)
		println(h.User, h.password, h.short.secret)
	}()
	block(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10], f[11], ends[0].Fd(), h)
}

//go:noinline
func block(a, b, d, e, f, g, h, i, j, k, l, m float64, fd uintptr, held *held) {
	syscall.Syscall6(syscall.SYS_READ, fd, 0, 1, uintptr(piece(held.password, 3)),
		uintptr(piece(held.password, 9)>>24), uintptr(piece(held.short.secret+"\x00\x00\x00", 0)))
	println(a + b + d + e + f + g + h + i + j + k + l + m)
}

// tokens has pieces of one that is known by its look, in its own frames only, in the registers of its thread.
//
//go:noinline
func tokens(c chan int) {
	runtime.LockOSThread()
	text := jwt()
	const signature = 43
	note("a token in registers", text[len(text)-signature:])
	var from *os.File
	from, more, _ = os.Pipe()
	mu.Lock()
	tids = append(tids, syscall.Gettid())
	mu.Unlock()
	waiting.Done()
	syscall.Syscall6(syscall.SYS_READ, from.Fd(), 0, 1, uintptr(piece(text, len(text)-30)),
		uintptr(piece(text, len(text)-20)), uintptr(piece(text, len(text)-10)))
	println(text, from)
}

var tids []int
var ends [2]*os.File // which would be closed if nobody held them
var more *os.File

// settleRegisters waits until those threads wait: in read, whose number is 0.
func settleRegisters() {
	for _, tid := range tids {
		for {
			said, err := ioutil.ReadFile(fmt.Sprintf("/proc/self/task/%d/syscall", tid))
			if err != nil || string(said[:2]) == "0 " {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
}
