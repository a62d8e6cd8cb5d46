// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"math/rand"
	"net"
	"sync"
	"time"
)

// Streams in both directions over one connection, as gRPC has them: messages go in frames, and nobody sends more
// than the other end has room for.

const (
	streamWindow  = 16 << 10
	streamFrame   = 4 << 10
	streamClients = 12
	streamUnder   = 4   // messages of a client that are not answered yet
	streamGrowing = 400 // messages until some are larger than a window
)

// Kinds of frames.
const (
	streamData = iota
	streamEnd  // the last of a message
	streamRoom // the other end may send so much more
)

// A streamQuota is how much may be sent: a channel with the amount, if there is any.
type streamQuota struct {
	mu sync.Mutex
	c  chan int
}

func (q *streamQuota) add(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case left := <-q.c:
		n += left
	default:
	}
	q.c <- n
}

type stream struct {
	id    uint32
	conn  *streamConn
	quota streamQuota
	in    chan []byte // messages
	part  []byte
}

// A streamGrant lets the other end send so much more.
type streamGrant struct {
	id uint32
	n  int
}

type streamConn struct {
	conn    net.Conn
	out     sync.Mutex // for who writes a frame
	mu      sync.Mutex
	streams map[uint32]*stream
	// One end accepts what the other one opens.
	accepts func(*stream)
	grants  chan streamGrant
	// Of a service, well or sick.
	send   func(*stream, []byte) error
	grant  func(id uint32, n int) error
	inline bool // answers where it reads
	window int
	writer holder
	reader gauge // frames that it is about to write
	said   gauge
	frames gauge // that it has read
}

func streamNewConn(conn net.Conn) *streamConn {
	c := &streamConn{
		conn: conn, streams: map[uint32]*stream{}, grants: make(chan streamGrant),
		window: streamWindow, send: streamSendFrames,
	}
	c.grant = func(id uint32, n int) error {
		c.grants <- streamGrant{id, n}
		return nil
	}
	return c
}

func (c *streamConn) stream(id uint32) *stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.streams[id]
	if s == nil {
		s = &stream{id: id, conn: c, in: make(chan []byte, 64)}
		s.quota.c = make(chan int, 1)
		s.quota.c <- c.window
		c.streams[id] = s
		if c.accepts != nil {
			go c.accepts(s)
		}
	}
	return s
}

// write writes a frame. The caller has c.out.
func (c *streamConn) write(kind byte, id uint32, data []byte) error {
	head := make([]byte, 9, 9+len(data))
	head[0] = kind
	binary.BigEndian.PutUint32(head[1:], id)
	binary.BigEndian.PutUint32(head[5:], uint32(len(data)))
	_, err := c.conn.Write(append(head, data...))
	return err
}

//go:noinline
func (c *streamConn) giveRoom(id uint32, n int) error {
	room := make([]byte, 4)
	binary.BigEndian.PutUint32(room, uint32(n))
	c.reader.begins()
	c.out.Lock()
	defer c.out.Unlock()
	c.reader.ends()
	return c.write(streamRoom, id, room)
}

// readLoop takes frames apart, and gives room for what it has read.
func (c *streamConn) readLoop() {
	in := bufio.NewReader(c.conn)
	head := make([]byte, 9)
	for {
		if _, err := io.ReadFull(in, head); err != nil {
			return
		}
		c.frames.begins()
		s := c.stream(binary.BigEndian.Uint32(head[1:]))
		data := make([]byte, binary.BigEndian.Uint32(head[5:]))
		if _, err := io.ReadFull(in, data); err != nil {
			return
		}
		if head[0] == streamRoom {
			s.quota.add(int(binary.BigEndian.Uint32(data)))
			continue
		}
		s.part = append(s.part, data...)
		if c.grant(s.id, len(data)) != nil {
			return
		}
		if head[0] == streamEnd {
			c.message(s)
		}
	}
}

// grantLoop gives room, so that the reader never has to wait until it can write. It takes grants together meanwhile.
func (c *streamConn) grantLoop() {
	written := make(chan error, 1)
	written <- nil
	given := map[uint32]int{}
	for {
		ready := written
		if len(given) == 0 {
			ready = nil
		}
		select {
		case g := <-c.grants:
			given[g.id] += g.n
		case err := <-ready:
			if err != nil {
				return
			}
			go func(given map[uint32]int) { written <- c.giveAll(given) }(given)
			given = map[uint32]int{}
		}
	}
}

func (c *streamConn) giveAll(given map[uint32]int) error {
	for id, n := range given {
		if err := c.giveRoom(id, n); err != nil {
			return err
		}
	}
	return nil
}

func (c *streamConn) message(s *stream) {
	m := s.part
	s.part = nil
	if c.inline {
		c.send(s, m)
		return
	}
	s.in <- m
}

// streamSendFrames sends a message. It has the lock for each frame, and not while it waits for room.
func streamSendFrames(s *stream, m []byte) error {
	for len(m) > 0 {
		room := <-s.quota.c
		n := streamLeast(room, len(m), streamFrame)
		if room > n {
			s.quota.add(room - n)
		}
		kind := byte(streamData)
		if n == len(m) {
			kind = streamEnd
		}
		s.conn.out.Lock()
		err := s.conn.write(kind, s.id, m[:n])
		s.conn.out.Unlock()
		if err != nil {
			return err
		}
		m = m[n:]
	}
	return nil
}

func streamLeast(a, b, c int) int {
	if b < a {
		a = b
	}
	if c < a {
		a = c
	}
	return a
}

// The same, with what people get wrong.

// streamSendWhole keeps the frames of a message together: it has the lock while it waits for room, which the reader gets
// for it, who needs the lock.
//
//go:noinline
func streamSendWhole(s *stream, m []byte) error {
	s.conn.out.Lock()
	defer s.conn.out.Unlock()
	s.conn.writer.takes()
	defer s.conn.writer.gives()
	for len(m) > 0 {
		room := <-s.quota.c
		n := streamLeast(room, len(m), streamFrame)
		if room > n {
			s.quota.add(room - n)
		}
		kind := byte(streamData)
		if n == len(m) {
			kind = streamEnd
		}
		if err := s.conn.write(kind, s.id, m[:n]); err != nil {
			return err
		}
		m = m[n:]
	}
	return nil
}

// An streamEcho is a service over such a connection, and its clients.
type streamEcho struct {
	client, server *streamConn
}

func streamNewEcho() *streamEcho {
	listener := listen()
	here, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		panic(err)
	}
	there, err := listener.Accept()
	if err != nil {
		panic(err)
	}
	listener.Close()
	e := &streamEcho{client: streamNewConn(here), server: streamNewConn(there)}
	e.server.accepts = e.serves
	return e
}

// serves answers each message of a stream.
func (e *streamEcho) serves(s *stream) {
	for m := range s.in {
		time.Sleep(time.Millisecond)
		if e.server.send(s, m) != nil {
			return
		}
	}
}

// start has clients that send messages, and read the answers at the same time.
func (e *streamEcho) start(large int) {
	go e.client.readLoop()
	go e.server.readLoop()
	go e.client.grantLoop()
	go e.server.grantLoop()
	for i := 0; i < streamClients; i++ {
		under := make(chan bool, streamUnder)
		s := e.client.stream(uint32(2*i + 1))
		go client(dice(i), 10*time.Millisecond, func(r *rand.Rand) {
			size := 1 + r.Intn(streamFrame)
			if e.client.said.now() > streamGrowing && r.Intn(4) == 0 {
				size = large
			}
			e.client.said.begins()
			under <- true
			if e.client.send(s, make([]byte, size)) != nil {
				panic("no connection")
			}
		})
		go func() {
			for range s.in {
				<-under
			}
		}()
	}
}

func (e *streamEcho) parts() []*streamConn { return []*streamConn{e.client, e.server} }

// writers are those who have the lock of an end for long.
func (e *streamEcho) writers() []int64 {
	ret := []int64{}
	for _, c := range e.parts() {
		if id := c.writer.is(); id != 0 {
			ret = append(ret, id)
		}
	}
	return ret
}

// stands is for when nothing is read any more: the reader of an end waits for a writer.
func (e *streamEcho) stands() func() bool {
	frames := int64(0)
	return still(func() bool {
		before := frames
		frames = e.client.frames.now() + e.server.frames.now()
		for _, c := range e.parts() {
			if frames == before && c.writer.is() != 0 && c.reader.now() > 0 {
				return true
			}
		}
		return false
	})
}

func init() {
	services["stream"] = service{
		healthy: func() { streamNewEcho().start(4 * streamWindow) },
		sick: map[string]func() sickness{
			"lock held while it waits for room": func() sickness {
				e := streamNewEcho()
				for _, c := range e.parts() {
					c.send, c.grant = streamSendWhole, c.giveRoom
				}
				e.start(4 * streamWindow)
				return sickness{
					reached: e.stands(),
					findings: func() []finding {
						// All goroutines of both ends wait for the ring in the end, and nothing else refers to them.
						names := "main.(*streamEcho).start.func|main.(*streamEcho).serves|main.(*streamConn).grantLoop|" +
							"main.(*streamConn).readLoop|main.streamSendWhole|main.(*streamConn).giveRoom"
						return append(stillRing("main.streamSendWhole", "main.(*streamConn).giveRoom", e.writers()...),
							finding{Kinds: []string{"leaked"}, Names: []string{names}, Aside: true})
					},
				}
			},
			// Each end waits until the other one reads, as there is more room than the connection holds.
			"both ends write": func() sickness {
				e := streamNewEcho()
				for _, c := range e.parts() {
					c.send, c.grant, c.window = streamSendWhole, c.giveRoom, 1<<30
					c.conn.(*net.TCPConn).SetReadBuffer(streamFrame)
					c.conn.(*net.TCPConn).SetWriteBuffer(streamFrame)
				}
				e.server.inline = true
				e.start(64 * streamWindow)
				return sickness{
					reached: e.stands(),
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"lock_held"}, Names: []string{"main.streamSendWhole"}, Holders: e.writers(),
						}}
					},
				}
			},
		},
	}
}
