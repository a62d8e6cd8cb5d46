// SPDX-License-Identifier: Apache-2.0

package main

import (
	"container/list"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"sync"
	"sync/atomic"
	"time"
)

type UUID [16]byte

func number(text string) *big.Int {
	n, _ := new(big.Int).SetString(text, 0)
	return n
}

func floating(text string) *big.Float {
	f, _, err := big.ParseFloat(text, 10, 200, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return f
}

func network(text string) *net.IPNet {
	_, n, err := net.ParseCIDR(text)
	if err != nil {
		panic(err)
	}
	return n
}

var (
	integers = []*big.Int{new(big.Int), big.NewInt(1), big.NewInt(-1), big.NewInt(1e18),
		number("999999999999999999"), number("1000000000000000000000000000000000000001"),
		number("-0xffffffffffffffffffffffffffffffffffffffffffffffff"), number("18446744073709551616")}
	rationals = []*big.Rat{new(big.Rat), big.NewRat(-3, 4), big.NewRat(7, 1)}
	floats    = []*big.Float{new(big.Float), floating("-1.5"), floating("1e100"),
		floating("3.14159265358979323846264338327950288"), floating("1e-7"), floating("123456789"),
		new(big.Float).SetInf(true)}
	sockets = []net.Addr{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80},
		&net.TCPAddr{IP: net.ParseIP("fe80::1"), Port: 443, Zone: "eth0"}, &net.TCPAddr{Port: 8080},
		&net.UDPAddr{IP: net.ParseIP("2001:db8::1"), Port: 53}, &net.UnixAddr{Name: "/run/x"}}
	networks  = []*net.IPNet{network("10.0.0.0/8"), network("2001:db8::/33"), network("1.2.3.4/32")}
	hardware  = net.HardwareAddr{0, 0x16, 0x3e, 0xff, 1, 2}
	netErrors = []error{
		&net.OpError{Op: "dial", Net: "tcp", Addr: sockets[0], Err: os.NewSyscallError("connect", errors.New("refused"))},
		&net.OpError{Op: "read", Net: "tcp", Source: sockets[0], Addr: sockets[1], Err: io.EOF},
		&net.DNSError{Err: "no such host", Name: "example.org", Server: "127.0.0.53:53"},
		&net.OpError{Op: "accept", Net: "unix", Source: sockets[4], Err: errors.New("it failed")}}
	asked      *http.Request
	client     *http.Request
	database   *sql.DB
	inUse      *sql.Conn
	expression = regexp.MustCompile(`^a+(b|c)*$`)
	zone       = time.FixedZone("east", 7200)
	id         = UUID{0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0}
	raw        = json.RawMessage(`{"a":1}`)
	ring       = list.New()
	emptyRing  = list.New()
	longRing   = list.New()
	inAnHour   = time.NewTimer(time.Hour)
	reset      = time.NewTimer(time.Minute)
	calls      = time.AfterFunc(30*time.Minute, func() {})
	stopped    = time.NewTimer(time.Hour)
	fired      = time.NewTimer(time.Nanosecond)
	ticks      = time.NewTicker(time.Hour + 30*time.Second)
	still      = time.NewTicker(time.Hour)
	fewEntries sync.Map
	noEntries  sync.Map
	onlyRead   sync.Map
	entries    sync.Map
	hugeMap    sync.Map
	pool       = sync.Pool{New: func() interface{} { return new(int) }}
	holds      atomic.Value
	holdsNone  atomic.Value
	counter    sync.WaitGroup
	noCounter  sync.WaitGroup
	manyWait   [3]sync.WaitGroup
	condition  = sync.NewCond(&sync.Mutex{})
	reflected  = []reflect.Value{reflect.ValueOf(42), reflect.ValueOf("text"),
		reflect.ValueOf(&pairOf), reflect.ValueOf(&pairOf).Elem(), reflect.ValueOf(pairOf), {}}
	pairOf   = struct{ A, B int }{1, 2}
	file     *os.File
	closed   *os.File
	pipe     *os.File
	listener net.Listener
	dialed   net.Conn
	accepted net.Conn
)

type fakeDriver struct{}
type fakeConn struct{}

func (fakeDriver) Open(string) (driver.Conn, error)  { return fakeConn{}, nil }
func (fakeConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not here") }
func (fakeConn) Close() error                        { return nil }
func (fakeConn) Begin() (driver.Tx, error)           { return nil, errors.New("not here") }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func words(n int, of func(i int) string) []string {
	list := []string{}
	for i := 0; i < n; i++ {
		list = append(list, of(i))
	}
	return list
}

func library() {
	said["integers"] = words(len(integers), func(i int) string { return integers[i].String() })
	said["rationals"] = words(len(rationals), func(i int) string { return rationals[i].String() })
	said["floats"] = words(len(floats), func(i int) string { return floats[i].String() })
	said["sockets"] = words(len(sockets), func(i int) string { return sockets[i].String() })
	said["networks"] = words(len(networks), func(i int) string { return networks[i].String() })
	said["netErrors"] = words(len(netErrors), func(i int) string { return netErrors[i].Error() })
	said["hardware"] = hardware.String()
	said["expression"] = expression.String()
	said["zone"] = zone.String()
	said["id"] = "123e4567-e89b-12d3-a456-426614174000"
	said["raw"] = string(raw)
	timers()
	requests()
	databases()
	containers()
	locks()
	files()
	simple := []interface{}{[]string{"A", "1"}, []string{"B", "2"}}
	of := "struct { A int; B int }"
	extras["reflected"] = []interface{}{[]interface{}{"int", "42"},
		[]interface{}{"string", "74657874"}, []interface{}{"*" + of, []interface{}{"to", simple}},
		[]interface{}{of, simple}, []interface{}{of, simple}, []interface{}{nil, nil}}
	keep(&reflected, &pairOf, &noEntries, &holdsNone, &noCounter, emptyRing, zone, &id, &raw, &hardware)
}

func requests() {
	var err error
	client, err = http.NewRequest("POST", "http://ann:secret@example.org:8080/a?b=1", nil)
	must(err)
	said["client"] = "POST http://example.org:8080/a?b=1"
	asked, err = http.NewRequest("GET", "/users/42", nil)
	must(err)
	asked.Host, asked.RemoteAddr = "shop.example", "10.0.0.9:51234"
	said["asked"] = "GET shop.example/users/42 from 10.0.0.9:51234"
}

func databases() {
	sql.Register("fake", fakeDriver{})
	var err error
	database, err = sql.Open("fake", "")
	must(err)
	database.SetMaxOpenConns(3)
	background := background
	inUse, err = database.Conn(background)
	must(err)
	other, err := database.Conn(background)
	must(err)
	must(other.Close())
	stats := database.Stats()
	said["database"] = fmt.Sprintf("%d open, %d in use, %d idle, 0 waiting, at most %d",
		stats.OpenConnections, stats.InUse, stats.Idle, stats.MaxOpenConnections)
	if stats.InUse != 1 || stats.Idle != 1 {
		panic(said["database"])
	}
}

func timers() {
	stopped.Stop()
	still.Stop()
	reset.Reset(2 * time.Hour)
	<-fired.C
	said["inAnHour"] = `~fires in 5\dm\d+s`
	said["reset"] = `~fires in 1h5\dm\d+s`
	said["calls"] = `~fires in 2\dm\d+s`
	said["stopped"], said["fired"] = "stopped or fired", "stopped or fired"
	said["ticks"] = `~every 1h0m30s, next in (1h0m|5\dm)\d+s`
	said["still"] = "stopped"
	keep(&inAnHour, &reset, &calls, &stopped, &fired, &ticks, &still)
}

func containers() {
	for i := 0; i < 3; i++ {
		ring.PushBack(i * i)
	}
	for i := 0; i < 100; i++ {
		longRing.PushFront(i)
	}
	said["ring"], said["emptyRing"], said["longRing"] = "3 elements", "0 elements", "100 elements"
	extras["ring"] = []string{"0", "1", "4"}
	stored := map[string]string{}
	for i := 0; i < 1000; i++ {
		entries.Store(i, fmt.Sprint(i))
		fewEntries.Store(fmt.Sprint("key ", i), i)
		onlyRead.Store(i, i)
	}
	for i := 0; i < 995; i++ {
		fewEntries.Delete(fmt.Sprint("key ", i))
	}
	for i := 995; i < 1000; i++ {
		stored[fmt.Sprint("key ", i)] = fmt.Sprint(i)
	}
	for i := 0; i < 5000; i++ {
		onlyRead.Load(i % 1000)
	}
	onlyRead.Delete(5)
	said["fewEntries"], said["noEntries"], said["entries"] = "5 entries", "0 entries", "1000 entries"
	for i := 0; i < 5000; i++ {
		hugeMap.Store(i, i)
	}
	said["hugeMap"] = "5000 entries"
	said["onlyRead"] = "999 entries"
	extras["entries"] = stored
	holds.Store(errors.New("held"))
	said["holds"], said["holdsNone"] = "held", ""
	pool.Put(new(int))
	pool.Put(new(int))
	said["pool"] = "2 cached"
	keep(pool.New)
}

func locks() {
	counter.Add(3)
	for i := range manyWait {
		manyWait[i].Add(i + 1)
	}
	for i := 0; i < 2; i++ {
		go counter.Wait()
		go func() {
			condition.L.Lock()
			condition.Wait()
			condition.L.Unlock()
		}()
	}
	said["counter"], said["noCounter"], said["condition"] = "3 to go, 2 waiting", "0 to go", "2 waiting"
	said["manyWait"] = []string{"1 to go", "2 to go", "3 to go"}
}

func files() {
	var err error
	file, err = os.Open("/dev/null")
	must(err)
	closed, err = os.Open("/dev/zero")
	must(err)
	must(closed.Close())
	pipe, _, err = os.Pipe()
	must(err)
	listener, err = net.Listen("tcp", "127.0.0.1:0")
	must(err)
	dialed, err = net.Dial("tcp", listener.Addr().String())
	must(err)
	accepted, err = listener.Accept()
	must(err)
	said["file"] = fmt.Sprintf("/dev/null, fd %d", file.Fd())
	said["closed"] = "/dev/zero, closed"
	said["pipe"] = fmt.Sprintf(`~\|0, fd %d, pipe:\[[0-9]+\]`, pipe.Fd())
	said["listener"] = fmt.Sprintf("~tcp %s, fd [0-9]+, listen", listener.Addr())
	said["dialed"] = fmt.Sprintf("~tcp %s to %s, fd [0-9]+, established", dialed.LocalAddr(), dialed.RemoteAddr())
	said["accepted"] = fmt.Sprintf("~tcp %s to %s, fd [0-9]+, established", dialed.RemoteAddr(), dialed.LocalAddr())
}
