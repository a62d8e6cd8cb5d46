// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/ioutil"
	"net"
	"os"
	"path/filepath"
	"subjects/truth"
	"syscall"
	"time"
)

func init() {
	cases = append(cases, tcp, tcp6, udp, unix, pipe, sameConnection)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

type withDescriptor interface {
	SyscallConn() (syscall.RawConn, error)
}

func network(c withDescriptor, operation string, more truth.Thing) truth.Thing {
	raw, err := c.SyscallConn()
	check(err)
	thing := truth.Thing{"kind": "network", "operation": operation, "address": nil, "unreadable": nil, "when": nil}
	check(raw.Control(func(fd uintptr) { thing["fd"] = fd }))
	for name, value := range more {
		thing[name] = value
	}
	if thing["timer"] != nil {
		delete(thing, "when")
	}
	return thing
}

// until sets a deadline.
func until(set func(time.Time) error, thing truth.Thing) truth.Thing {
	when := time.Now().Add(farAway)
	check(set(when))
	thing["timer"] = when.UTC()
	return thing
}

func accept(l net.Listener, thing truth.Thing) {
	truth.Below("accept", "IO wait").Waits(thing)
	l.Accept()
}

func read(c net.Conn, thing truth.Thing) {
	var buf [10]byte
	truth.Below("read", "IO wait").Waits(thing)
	c.Read(buf[:])
}

// More than any socket takes when nobody reads.
func write(c net.Conn, thing truth.Thing) {
	buf := make([]byte, 64<<20)
	truth.Below("write", "IO wait").Waits(thing)
	c.Write(buf)
}

// kept are ends that nobody uses: the collector would close them.
var kept []interface{}

// pair is both ends of a connection to a listener.
func pair(l net.Listener) (net.Conn, net.Conn) {
	accepted := make(chan net.Conn)
	go func() {
		c, err := l.Accept()
		check(err)
		accepted <- c
	}()
	c, err := net.Dial(l.Addr().Network(), l.Addr().String())
	check(err)
	other := <-accepted
	kept = append(kept, l, c, other)
	return c, other
}

func ends(c net.Conn, protocol string) truth.Thing {
	return truth.Thing{"protocol": protocol, "local": c.LocalAddr().String(), "remote": c.RemoteAddr().String(), "state": "established", "file": nil}
}

func internet(where string) {
	l, err := net.Listen("tcp", where)
	check(err)
	client, _ := pair(l)
	_, server := pair(l)
	await(func() {
		go read(client, network(client.(*net.TCPConn), "read", until(client.SetReadDeadline, ends(client, "tcp"))))
	}, 1)
	await(func() { go write(client, network(client.(*net.TCPConn), "write", ends(client, "tcp"))) }, 1)
	await(func() {
		go write(server, network(server.(*net.TCPConn), "write", until(server.SetWriteDeadline, ends(server, "tcp"))))
	}, 1)
	await(func() {
		go accept(l, network(l.(*net.TCPListener), "read", truth.Thing{"protocol": "tcp",
			"local": l.Addr().String(), "remote": nil, "state": "listen"}))
	}, 1)
}

func tcp() {
	internet("127.0.0.1:0")
}

func tcp6() {
	l, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		tcp() // no such thing here
		return
	}
	l.Close()
	internet("[::1]:0")
}

func udp() {
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	check(err)
	c, err := net.Dial("udp", l.LocalAddr().String())
	check(err)
	connected := ends(c, "udp")
	connected["state"] = nil
	await(func() { go read(c, network(c.(*net.UDPConn), "read", connected)) }, 1)
	await(func() {
		go read(l.(*net.UDPConn), network(l.(*net.UDPConn), "read", truth.Thing{"protocol": "udp",
			"local": l.LocalAddr().String(), "remote": nil}))
	}, 1)
}

func unix() {
	dir, err := ioutil.TempDir("", "gosnap-waits")
	check(err)
	path := filepath.Join(dir, "socket")
	l, err := net.Listen("unix", path)
	check(err)
	client, server := pair(l)
	check(os.RemoveAll(dir))
	await(func() {
		go read(client, network(client.(*net.UnixConn), "read", truth.Thing{"protocol": "unix", "local": nil}))
	}, 1)
	await(func() {
		go read(server, network(server.(*net.UnixConn), "read", truth.Thing{"protocol": "unix", "local": path}))
	}, 1)
	await(func() {
		go accept(l, network(l.(*net.UnixListener), "read", truth.Thing{"protocol": "unix", "local": path, "state": "listen"}))
	}, 1)
}

func pipe() {
	r, w, err := os.Pipe()
	check(err)
	kept = append(kept, w)
	link := make(chan string, 1)
	raw, err := r.SyscallConn()
	check(err)
	check(raw.Control(func(fd uintptr) {
		name, err := os.Readlink(filepath.Join("/proc/self/fd", itoa(fd)))
		check(err)
		link <- name
	}))
	await(func() { go readFile(r, network(r, "read", truth.Thing{"protocol": nil, "file": <-link})) }, 1)
}

func readFile(f *os.File, thing truth.Thing) {
	var buf [10]byte
	truth.Below("read a pipe", "IO wait").Waits(thing)
	f.Read(buf[:])
}

func itoa(n uintptr) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// Only one goroutine reads from a connection at a time: the next waits for a semaphore.
func sameConnection() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	c, _ := pair(l)
	await(func() { go read(c, network(c.(*net.TCPConn), "read", ends(c, "tcp"))) }, 1)
	await(func() { go readToo(c) }, 1)
}

func readToo(c net.Conn) {
	var buf [10]byte
	truth.Below("read after another", "semacquire").Waits(truth.Thing{"kind": "semaphore", "unreadable": nil})
	c.Read(buf[:])
}
