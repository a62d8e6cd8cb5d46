// SPDX-License-Identifier: Apache-2.0

// Subject: secrets where no variable leads any more, and in the name of a file that is mapped.
//
// usage: leftovers FOLDER
package main

import (
	"encoding/base64"
	"encoding/hex"
	dicing "math/rand"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"subjects/truth"
	"sync"
	"syscall"
	"unsafe"
)

const long = 18000 // letters: more than are remembered of a secret

var (
	waiting sync.WaitGroup
	lock    sync.Mutex
	planted = map[string]string{}
	sink    int
	kept    []unsafe.Pointer // else it is memory for others
)

// The test chooses the seed of random data, so that a failure can be repeated.
var dice = func() *dicing.Rand {
	seed, _ := strconv.ParseInt(os.Getenv("GOSNAP_SUBJECT_SEED"), 10, 64)
	return dicing.New(dicing.NewSource(seed))
}()

func random(letters int) string {
	b := make([]byte, letters)
	lock.Lock()
	defer lock.Unlock()
	dice.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)[:letters]
}

// note keeps a secret as digits, which are not alike.
func note(where, secret string) {
	lock.Lock()
	planted[where] = hex.EncodeToString([]byte(secret))
	lock.Unlock()
}

func park() {
	waiting.Done()
	<-make(chan bool)
}

// A variable of a frame that is live; nobody uses it any more.
func deadVariable() {
	var password [40]byte
	secret := random(len(password))
	copy(password[:], secret)
	note("a dead variable", secret)
	secret = ""
	sink += int(password[3])
	park()
	sink++
}

//go:noinline
func fill(secret string) int {
	var room [64]byte
	n := copy(room[:], secret)
	for _, c := range room[:n] {
		sink += int(c)
	}
	return n
}

// What a call left below the frame, where the next one does not write everything.
func deadFrame() {
	secret := random(40)
	note("a dead frame", secret)
	n := fill(secret)
	secret = ""
	park()
	sink += n
}

func mappedFile() {
	sessionToken := random(24)
	note("the path of a mapped file", sessionToken)
	path := filepath.Join(os.Args[1], "map-"+sessionToken)
	file, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	file.Truncate(4096)
	if _, err := syscall.Mmap(int(file.Fd()), 0, 4096, syscall.PROT_READ, syscall.MAP_SHARED); err != nil {
		panic(err)
	}
	park()
	runtime.KeepAlive(sessionToken)
}

// Of the copy, no name tells anything.
func longCopy() {
	password := random(long)
	note("the end of a long copy", password[long-100:])
	x := append([]byte("zz"), password...)
	park()
	runtime.KeepAlive(password)
	runtime.KeepAlive(x)
}

// likeAType is as the head of a type would be: its 24th byte is that of a struct, which has no fields.
func likeAType(where string) *[128]byte {
	secret := random(40)
	secret = secret[:23] + "y" + secret[24:]
	note(where, secret)
	b := new([128]byte)
	copy(b[:], secret)
	lock.Lock()
	kept = append(kept, unsafe.Pointer(b))
	lock.Unlock()
	return b
}

// An address beside a pointer, which an interface consists of, too.
func besidePointer() {
	var words struct {
		number  uintptr
		pointer *int
	}
	words.number, words.pointer = uintptr(unsafe.Pointer(likeAType("beside a pointer"))), new(int)
	at := &words
	park()
	runtime.KeepAlive(at)
}

// A type beside a pointer to something else.
func besideType() {
	var words struct {
		number  uintptr
		pointer unsafe.Pointer
	}
	var of interface{} = []string(nil)
	words.number, words.pointer = *(*uintptr)(unsafe.Pointer(&of)), unsafe.Pointer(likeAType("beside a type"))
	at := &words
	park()
	runtime.KeepAlive(at)
}

// unset is what a variable is that was not written to yet.
func unset() {
	var broken interface{}
	words := (*[2]unsafe.Pointer)(unsafe.Pointer(&broken))
	words[0], words[1] = unsafe.Pointer(likeAType("in an interface")), unsafe.Pointer(new(int))
	park()
	println(broken != nil)
}

func main() {
	truth.EndWithStdin()
	places := []func(){deadVariable, deadFrame, mappedFile, longCopy, besidePointer, besideType, unset}
	waiting.Add(len(places))
	for _, place := range places {
		go place()
	}
	waiting.Wait()
	runtime.GC()
	said := planted
	planted = nil
	truth.Say(map[string]interface{}{"planted": said})
	said = nil
	runtime.GC()
	os.Stdout.WriteString("READY\n")
	select {}
}
