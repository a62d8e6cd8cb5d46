// SPDX-License-Identifier: Apache-2.0

// Secrets in containers, in pieces, encoded, and in texts of all sorts.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// apart has under another name what is a password in a goroutine that begins later, or earlier.
//
//go:noinline
func apart(s string, account *login, c chan int) {
	text := "cannot use " + s + " for " + account.User
	copied := append([]byte(nil), s...)
	wait(c)
	println(text, len(copied))
}

//go:noinline
func together(password string, account *login, header http.Header, beside *besides, c chan int) {
	wait(c)
	println(password, account.User, len(header), beside)
}

type attribute struct{ Name, Data string }

// besides has what something beside it calls a secret.
type besides struct {
	Attribute attribute
	Command   []string
	Fields    map[place]string
}

// lists have their secrets where much is before them.
type lists struct {
	Passwords [40]string
	Named     [2][50]attribute
}

//go:noinline
func late(beside *lists, c chan int) {
	wait(c)
	println(beside)
}

func latePairs() []func(chan int) {
	l := new(lists)
	for i := range l.Passwords {
		l.Passwords[i] = letters(24)
	}
	for i := range l.Named[0] {
		l.Named[0][i].Name, l.Named[1][i].Name = "user", "user"
	}
	l.Passwords[39] = plant("a late element of another goroutine")
	l.Named[1][49] = attribute{"password", plant("a late attribute of another goroutine")}
	a, b := l.Passwords[39], l.Named[1][49].Data
	return []func(chan int){func(c chan int) { late(l, c) },
		func(c chan int) { apart(a, &login{User: b}, c) }}
}

func pairs() (begun []func(chan int)) {
	for i := 0; i < 2; i++ {
		password := plant(fmt.Sprint("a variable of another goroutine ", i))
		account := &login{"bob", plant(fmt.Sprint("a field of another goroutine ", i))}
		header := http.Header{"X-Api-Key": {plant(fmt.Sprint("a header of another goroutine ", i))}}
		beside := &besides{
			attribute{"db_password", plant(fmt.Sprint("an attribute of another goroutine ", i))},
			[]string{"run", "--password", plant(fmt.Sprint("a list of another goroutine ", i))},
			map[place]string{{"bob", "password"}: plant(fmt.Sprint("an entry of another goroutine ", i))}}
		a, b, d := password, account.Password, header["X-Api-Key"][0]
		e, f := beside.Attribute.Data, beside.Command[2]
		g := beside.Fields[place{"bob", "password"}]
		one := func(c chan int) { together(password, account, header, beside, c) }
		others := []func(chan int){
			func(c chan int) { apart(a, &login{User: b}, c) },
			func(c chan int) { apart(d, &login{User: "bob"}, c) },
			func(c chan int) { apart(e, &login{User: f}, c) },
			func(c chan int) { apart(g, &login{User: "bob"}, c) }}
		if i == 0 {
			begun = append(append(begun, one), others...)
		} else {
			begun = append(append(begun, others...), one)
		}
	}
	return begun
}

// ofCommandLine alone says that the last word of the command line is one.
//
//go:noinline
func ofCommandLine(c chan int) {
	together(os.Args[len(os.Args)-1], &login{"bob", "none"}, nil, nil, c)
}

type login struct{ User, Password string }
type place struct{ Tenant, Field string }
type job struct {
	Name     string
	Password string
}
type fault struct {
	Code   int
	Secret string
}

//go:noinline
func containers(c chan int) {
	var buffer bytes.Buffer // which was read to the middle of it
	buffer.WriteString("a=1&token=" + plant("a buffer"))
	buffer.WriteString("&b=2")
	buffer.Next(18)
	form := url.Values{"token": {plant("a form")}}
	header := http.Header{"X-Api-Key": {plant("a header of a key")},
		"Proxy-Authorization": {plant("a header of a proxy")},
		"Set-Cookie":          {"sid=" + plant("a header of a cookie") + "; Path=/"}}
	any := map[interface{}]string{"password": plant("a map of any")}
	fields := map[place]string{{"bob", "password"}: plant("a map of structs")}
	var shared sync.Map
	shared.Store("apiKey", plant("a shared map"))
	var token atomic.Value
	token.Store(plant("an atomic value"))
	words := []string{"run", "--password", plant("a list of arguments")}
	pairs := []interface{}{"user", "bob", "secret", plant("a list of pairs")}
	logged := []interface{}{"said", "password", plant("a list of a log"), "status"}
	kinds := []interface{}{"kind", "password", "status", 7, "limits"}
	nested := map[string]map[string]interface{}{"db": {"password": plant("a map in a map")}}
	queue := make(chan job, 1)
	queue <- job{"bob", plant("a queue")}
	hidden := func(s string) func() int { return func() int { return len(s) } }
	type secretString string
	named := []secretString{secretString(plant("a type"))}
	cut := strings.SplitN("DB_PASSWORD="+plant("what was cut"), "=", 2)
	settings := map[string]string{"REDISCLI_AUTH": plant("a setting that ends with auth"),
		"STRIPE_KEY": plant("a setting that is a key"), "userpass": plant("a setting in one word")}
	secretKey := plant("a closure")
	length := hidden(secretKey)
	wait(c)
	runtime.KeepAlive([]interface{}{&buffer, form, header, any, fields, &shared, &token, words,
		pairs, logged, kinds, nested, queue, length, secretKey, named, cut, settings})
}

//go:noinline
func numbers(c chan int) {
	passwordRunes := []rune(plant("runes by their name") + "é")
	wide := []rune("token=" + shaped("runes by their shape", "", letters(24), "") + "é")
	units := make([]uint16, 48)
	for i, r := range "password=" + shaped("units", "", letters(24), "") {
		units[i] = uint16(r)
	}
	sessionNumber := int64(70000000000000)
	for i, b := range random(12) {
		sessionNumber += int64(b%10) * pow(i)
	}
	note("a number that is the same", fmt.Sprint(sessionNumber))
	n := sessionNumber
	other(n, c)
	runtime.KeepAlive(passwordRunes)
	runtime.KeepAlive(wide)
	runtime.KeepAlive(units)
	println(sessionNumber)
}

func pow(n int) int64 {
	p := int64(1)
	for ; n > 0; n-- {
		p *= 10
	}
	return p
}

// kept is a key as bytes, and as numbers of each size.
//
//go:noinline
func kept(c chan int) {
	var encryptionKey [32]byte
	copy(encryptionKey[:], random(32))
	note("a key in numbers", string(encryptionKey[:]))
	var parts [4]uint64
	for i := range parts {
		parts[i] = binary.LittleEndian.Uint64(encryptionKey[8*i:])
	}
	var cipher, reversed [8]uint32
	var short [16]uint16
	for i := range cipher {
		cipher[i] = binary.LittleEndian.Uint32(encryptionKey[4*i:])
		reversed[i] = binary.BigEndian.Uint32(encryptionKey[4*i:])
	}
	for i := range short {
		short[i] = binary.BigEndian.Uint16(encryptionKey[2*i:])
	}
	small := (*uint32)(unsafe.Pointer(&encryptionKey[4]))
	wait(c)
	println(encryptionKey[0], parts[1], cipher[1], reversed[1], short[1], *small)
}

//go:noinline
func other(n int64, c chan int) {
	copied := [2]int64{1, n}
	wait(c)
	println(copied[1], n)
}

//go:noinline
func called(passcode uint64, s string, c chan int) {
	wait(c)
	println(passcode, s)
}

// plantWord makes one as memory has it.
func plantWord(where string) uint64 {
	word := random(8)
	word[7] |= 1
	note(where, string(word))
	return binary.LittleEndian.Uint64(word)
}

func byArgument(c chan int) { called(plantWord("an argument"), "harmless", c) }

// inside is what of an encoded copy does not depend on what stands around it.
func inside(encoded string) string { return encoded[8 : len(encoded)-8] }

//go:noinline
func encoded(c chan int) {
	password := plant("what is encoded")
	basic := base64.StdEncoding.EncodeToString([]byte("bob:" + password))
	note("in base64", inside(basic))
	shifted := "x" + base64.RawURLEncoding.EncodeToString([]byte("ab"+password+"c")) + "y"
	note("in base64 of addresses", inside(shifted))
	digits := hex.EncodeToString([]byte(password))
	note("in digits", digits)
	capitals := strings.ToUpper(digits)
	note("in capital digits", capitals)
	passphrase := shaped("with signs", "", letters(12)+"/ü"+letters(12), "")
	escaped := url.QueryEscape(passphrase)
	quoted := fmt.Sprintf("%+q", passphrase)
	note("escaped", escaped)
	note("quoted", quoted[1:len(quoted)-1])
	printed := fmt.Sprint([]byte(password))
	note("printed as numbers", printed[1:len(printed)-1])
	hexed := fmt.Sprintf("%#v", []byte(password))
	note("printed in Go", hexed[len("[]byte{"):len(hexed)-1])
	tail := password[6:] + " and more"
	wait(c)
	println(password, basic, shifted, digits, capitals, passphrase, escaped, quoted, printed, hexed, tail)
}

//go:noinline
func pieces(c chan int) {
	key := privateKey()
	note("lines of a PEM", key[40:100])
	lines := strings.Split(key, "\n")
	key = privateKey()
	note("pieces of a PEM", key[40:200])
	var parts [][]byte
	for from := []byte(key); len(from) > 0; {
		n := 50
		if n > len(from) {
			n = len(from)
		}
		parts = append(parts, append([]byte(nil), from[:n]...))
		from = from[n:]
	}
	key = ""
	log := bufio.NewWriter(os.Stderr)
	log.WriteString(shaped("a log", "level=info user=bob token=", letters(24), " n=1\n"))
	log.WriteString(shaped("a log of a header", "sent Authorization: Bearer ", letters(24), " to x\n"))
	wait(c)
	runtime.KeepAlive(lines)
	runtime.KeepAlive(parts)
	runtime.KeepAlive(log)
}

//go:noinline
func texts(c chan int) {
	all := []string{
		shaped("a printed header", "map[Authorization:[Bearer ", letters(24), "] Accept:[*/*]]"),
		shaped("printed cookies", "map[Cookie:[theme=dark; sid=", letters(24), "]]"),
		shaped("a command", "curl -H 'Cookie: theme=dark; sid=", letters(24), "' x"),
		shaped("an escaped address", "/login?to=%2Fcb%3Ftoken%3D", letters(24), "%26x%3D1"),
		shaped("XML", "<user>bob</user><password>", letters(24), "</password>"),
		shaped("JSON in JSON in JSON", `{\\\"token\\\":\\\"`, letters(24), `\\\"}`),
		shaped("a list in JSON", `{"tokens":["`, letters(24), `","x"]}`),
		shaped("an address of a driver", "bob:p@ss:", letters(24), "@tcp(db:3306)/x"),
		shaped("settings of a driver", "host=db password='", letters(24), "' user=bob"),
		shaped("a hook", "https://hooks.slack.com/services/T00000000/B00000000/", letters(24), ""),
		shaped("a token of GitHub", "ghp_", letters(36), ""),
		shaped("a key of a storage", "AccountName=x;AccountKey=", letters(24), "==;"),
		shaped("a scheme", "Authorization: Token ", letters(24), ""),
		shaped("XML with a namespace", `<wsse:Password Type="x">`, letters(24), "</wsse:Password>"),
		shaped("XML in a section", "<password><![CDATA[", letters(24), "]]></password>"),
		shaped("a map of Ruby", `{:password=>"`, letters(24), `"}`),
		shaped("a driver of one's own", "bob:", letters(24), "@cloudsql-mysql(a:b:c)/x"),
		shaped("SQL", "CREATE USER bob IDENTIFIED BY '", letters(24), "'"),
		shaped("a hash of a password", "bob:$2a$10$", letters(53), ":1"),
		shaped("a pair in JSON", `[{"name":"DB_PASSWORD","value":"`, letters(24), `"}]`),
		shaped("a pair in YAML", "- name: DB_PASSWORD\n  value: ", letters(24), "\n"),
		shaped("a part of a form", "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n",
			letters(24), "\r\n--x--\r\n"),
		shaped("a command of Redis", "*2\r\n$4\r\nAUTH\r\n$24\r\n", letters(24), "\r\n"),
		shaped("a command of FTP", "USER bob\r\nPASS ", letters(24), "\r\n"),
		shaped("settings of Docker", `{"auths":{"x":{"auth":"`, letters(24), `"}}}`),
	}
	raw := json.RawMessage(shaped("raw JSON", `{"access_token":"`, letters(24), `","n":1}`))
	err := fmt.Errorf("all: %w", fmt.Errorf("one: %w",
		errors.New(shaped("a chain of errors", "dial postgres://bob:", letters(24), "@db/x: refused"))))
	wait(c)
	runtime.KeepAlive(all)
	runtime.KeepAlive(raw)
	println(err.Error())
}

//go:noinline
func failing(c chan int) {
	defer func() {
		wait(c)
		println(recover() != nil)
	}()
	panic(fault{1, plant("a panic's value")})
}

type person struct {
	Name     string
	Password [24]byte
}

// A variable of the package is in the program's file, but what it holds is not.
var owner person

func inPackage(c chan int) {
	owner.Name = "bob"
	copy(owner.Password[:], plant("an array in a package"))
	besidePackage(&owner, string(owner.Password[:]), c)
}

//go:noinline
func besidePackage(at *person, found string, c chan int) {
	wait(c)
	runtime.KeepAlive(at)
	runtime.KeepAlive(&found)
}

type link struct {
	next     *link
	password *string
}

func farAway(c chan int) {
	text := plant("a password that is far away")
	near := &link{next: &link{next: &link{next: &link{password: &text}}}}
	besideFar(near, &text, c)
}

// besideFar has a text of which something says that it is a password, from where it is too far to
// be shown.
//
//go:noinline
func besideFar(near *link, found *string, c chan int) {
	wait(c)
	runtime.KeepAlive(near)
	runtime.KeepAlive(found)
}

// inArray is in several goroutines, of which one has a password in its bytes.
//
//go:noinline
func inArray(text string, c chan int) {
	var buffer [64]byte
	copy(buffer[:], text)
	wait(c)
	runtime.KeepAlive(&buffer)
}

// garbled has a password that nobody has set: it begins where a text is, and ends nowhere.
//
//go:noinline
func garbled(c chan int) {
	usual := "as everybody can read in " + letters(40)
	account := new(login)
	words := (*[2]uintptr)(unsafe.Pointer(&account.Password))
	words[0], words[1] = *(*uintptr)(unsafe.Pointer(&usual)), 1<<40
	wait(c)
	println(usual)
	runtime.KeepAlive(account)
}

func startArrays(c chan int) {
	secret := plant("an array of bytes")
	for _, text := range []string{"nothing of note", "nothing here", "password=" + secret, "nor here"} {
		waiting.Add(1)
		go inArray(text, c)
	}
	waiting.Add(1)
	go func(found string) { wait(c); runtime.KeepAlive(&found) }(secret)
}
