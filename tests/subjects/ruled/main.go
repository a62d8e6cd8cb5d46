// SPDX-License-Identifier: Apache-2.0

// Subject with the types of which gosnap-printers(5) tells how people print them, and with those
// that rules must not trip over.
package main

import (
	"subjects/truth"
	"time"
)

type Endpoint struct {
	Host string
	Port uint16
}
type Level int8
type Mode uint32
type Millis int64
type Stamp int64
type Addr [4]byte
type Digest []byte
type User struct {
	ID   int64
	Name string
}
type Visit struct {
	User  *User
	Peer  Endpoint
	Seen  Stamp
	TTL   Millis
	Since time.Time
}
type Message struct {
	Text           string
	XXX_sizecache  int32
	XXX_unknown    []byte
	Ref            int
	state, Deleted bool
}
type Queue struct {
	items []string
	Level
	more map[string]int
}
type Login struct {
	Account  string
	Password string
	Note     string
}
type Header struct{ Name, Value string }
type Numbers struct {
	F      float64
	G      float32
	B      bool
	Min    int64
	Max    uint64
	Small  int8
	IP     uint32
	IPv6   [16]byte
	Later  int32
	Real   float64
	Nobody *User
	Any    interface{}
	None   interface{}
	Bytes  []byte
	Binary []byte
	Six    chan int
}
type Ring struct {
	next *Ring
	Name string
}

var (
	endpoint = Endpoint{"db1.example", 5432}
	level    = Level(2)
	levels   = []Level{0, 1, 9, -1}
	mode     = Mode(0x45)
	noMode   = Mode(0)
	millis   = Millis(90500)
	negative = Millis(-1500)
	stamp    = Stamp(1234567890)
	before   = Stamp(-1)
	addr     = Addr{192, 0, 2, 7}
	digest   = Digest{0xde, 0xad, 0xbe, 0xef}
	visit    = Visit{&User{7, "ann"}, endpoint, stamp, millis, time.Unix(1234567890, 5)}
	nobody   = Visit{nil, endpoint, stamp, millis, time.Unix(0, 0)}
	message  = Message{"hello", 12, []byte{1}, 3, true, false}
	queue    = Queue{[]string{"a", "b", "c"}, 1, map[string]int{"x": 1}}
	login    = Login{"ann", "hunter2-secret-of-ann", "note hunter2-secret-of-ann"}
	header   = Header{"Authorization", "opaque-value-of-a-header"}
	plain    = Header{"Accept", "text/plain"}
	numbers  = Numbers{0.1, 0.1, true, -1 << 63, 1<<64 - 1, -5, 0x7f000001,
		[16]byte{0x20, 0x01, 0x0d, 0xb8, 15: 1}, 1234567890, 1.5, nil, 42, nil,
		[]byte("grüezi"), []byte{0xff, 0}, make(chan int, 6)}
	ring = &Ring{Name: "r"}
)

func main() {
	ring.next = ring
	numbers.Six <- 1
	truth.Say(map[string]interface{}{"use": []interface{}{&endpoint, &level, &levels, &mode,
		&noMode, &millis, &negative, &stamp, &before, &addr, &digest, &nobody, &message,
		&login, &header, &plain, visit.Peer, queue.items}})
	truth.Ready()
	truth.EndWithStdin()
	select {}
}
