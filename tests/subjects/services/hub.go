// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A hub: a message of one client goes to all, as in a chat or on a dashboard. Clients come and go.

const (
	hubClients  = 20
	hubQueue    = 16
	hubMessage  = 2048
	hubPatience = 300 * time.Millisecond
	hubGreeting = 100 // messages until one of the clients reads no more
)

// A hubClient is a connection: one goroutine reads from it, and another writes what is queued for it.
type hubClient struct {
	conn net.Conn
	send chan []byte
	gone int32 // nobody takes from send any more
}

type hub struct {
	clients map[*hubClient]bool // of run(), or behind mu, or behind rw
	mu      sync.Mutex
	rw      sync.RWMutex
	// For run().
	register, unregister chan *hubClient
	broadcast            chan []byte

	joins, leaves func(*hubClient)
	says          func([]byte)
	messages      gauge
	// Of a sick one.
	sender   holder
	to       atomic.Value // *hubClient
	evicting holding
}

func hubNew() *hub {
	return &hub{
		clients:    map[*hubClient]bool{},
		register:   make(chan *hubClient),
		unregister: make(chan *hubClient),
		broadcast:  make(chan []byte),
	}
}

func (h *hub) readPump(c *hubClient) {
	defer c.conn.Close()
	lines := bufio.NewReaderSize(c.conn, hubMessage)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			h.leaves(c)
			return
		}
		h.messages.begins()
		h.says(line)
	}
}

func (h *hub) writePump(c *hubClient) {
	pings := time.NewTicker(50 * time.Millisecond)
	defer pings.Stop()
	for {
		line := []byte("ping\n")
		select {
		case m, ok := <-c.send:
			if !ok {
				c.conn.Close()
				return
			}
			line = m
		case <-pings.C:
		}
		c.conn.SetWriteDeadline(time.Now().Add(hubPatience))
		if _, err := c.conn.Write(line); err != nil {
			atomic.StoreInt32(&c.gone, 1)
			h.leaves(c)
			c.conn.Close()
			return
		}
	}
}

func (h *hub) forget(c *hubClient) {
	if h.clients[c] {
		delete(h.clients, c)
		close(c.send)
	}
}

// run serves one event after the other. A client that does not keep up is dropped.
func (h *hub) run(drop func(*hubClient)) {
	for {
		select {
		case c := <-h.register:
			h.clients[c] = true
		case c := <-h.unregister:
			h.forget(c)
		case m := <-h.broadcast:
			for c := range h.clients {
				select {
				case c.send <- m:
				default:
					drop(c)
				}
			}
		}
	}
}

func (h *hub) byChannels(drop func(*hubClient)) {
	h.joins = func(c *hubClient) { h.register <- c }
	h.leaves = func(c *hubClient) { h.unregister <- c }
	h.says = func(m []byte) { h.broadcast <- m }
	go h.run(drop)
}

// The same, with what people get wrong.

// kick has run() drop a client. But run() calls it.
//
//go:noinline
func (h *hub) kick(c *hubClient) {
	h.sender.takes()
	h.unregister <- c
	h.sender.gives()
}

// deliver has the lock while it sends to a client that may be slow.
//
//go:noinline
func (h *hub) deliver(m []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sender.takes()
	for c := range h.clients {
		h.to.Store(c)
		c.send <- m
	}
	h.sender.gives()
}

//go:noinline
func (h *hub) remove(c *hubClient) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forget(c)
}

func (h *hub) byLock() {
	h.joins = func(c *hubClient) {
		h.mu.Lock()
		h.clients[c] = true
		h.mu.Unlock()
	}
	h.leaves, h.says = h.remove, h.deliver
}

// publish has the lock for reading while it removes a client.
//
//go:noinline
func (h *hub) publish(m []byte) {
	h.rw.RLock()
	defer h.rw.RUnlock()
	for c := range h.clients {
		select {
		case c.send <- m:
		default:
			h.evicting.takes()
			h.evict(c)
			h.evicting.gives()
		}
	}
}

//go:noinline
func (h *hub) evict(c *hubClient) {
	h.rw.Lock()
	defer h.rw.Unlock()
	h.forget(c)
}

func (h *hub) byReadLock() {
	h.joins = func(c *hubClient) {
		h.rw.Lock()
		h.clients[c] = true
		h.rw.Unlock()
	}
	h.leaves, h.says = h.evict, h.publish
}

func (h *hub) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		conn.(*net.TCPConn).SetWriteBuffer(hubMessage)
		c := &hubClient{conn: conn, send: make(chan []byte, hubQueue)}
		h.joins(c)
		go h.writePump(c)
		go h.readPump(c)
	}
}

// A hubChatter says something now and then, and reads what others say.
type hubChatter struct {
	address string
	conn    net.Conn
	said    int
	deaf    int32 // reads no more
}

func (c *hubChatter) reads(conn net.Conn) {
	lines := bufio.NewReaderSize(conn, 2*hubMessage)
	for atomic.LoadInt32(&c.deaf) == 0 {
		if _, err := lines.ReadSlice('\n'); err != nil {
			return
		}
	}
}

// says something. After some messages it comes back with a connection of its own.
func (c *hubChatter) says(r *rand.Rand) {
	if c.conn == nil || c.said%50 == 49 && atomic.LoadInt32(&c.deaf) == 0 {
		if c.conn != nil {
			c.conn.Close()
		}
		conn, err := net.Dial("tcp", c.address)
		if err != nil {
			return
		}
		conn.(*net.TCPConn).SetReadBuffer(hubMessage)
		go c.reads(conn)
		c.conn = conn
	}
	c.said++
	if _, err := fmt.Fprintf(c.conn, "%0*d\n", 1+r.Intn(hubMessage), c.said); err != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// start has clients that chat. At some time one of them reads no more, though its connection stays.
func (h *hub) start() {
	listener := listen()
	go h.accept(listener)
	for i := 0; i < hubClients; i++ {
		c := &hubChatter{address: listener.Addr().String()}
		go client(dice(i), 10*time.Millisecond, c.says)
		if i == 0 {
			go func() {
				for h.messages.now() < hubGreeting {
					time.Sleep(time.Millisecond)
				}
				atomic.StoreInt32(&c.deaf, 1)
			}()
		}
	}
}

func init() {
	services["hub"] = service{
		healthy: func() {
			h := hubNew()
			h.byChannels(h.forget)
			h.start()
		},
		sick: map[string]func() sickness{
			// The queue of who does not read is full, and who empties it wants to remove it.
			"lock held while it sends to a slow client": func() sickness {
				h := hubNew()
				h.byLock()
				h.start()
				return sickness{
					reached: still(func() bool {
						to, _ := h.to.Load().(*hubClient)
						return h.sender.is() != 0 && atomic.LoadInt32(&to.gone) != 0 && len(to.send) == hubQueue
					}),
					findings: func() []finding {
						// The client's own goroutine is a part of it, so that nothing else refers to the channel.
						return append(stillRing("main.(*hub).deliver", "main.(*hub).remove", h.sender.is()),
							finding{Kinds: []string{"leaked"}, Names: []string{"main.(*hub).deliver"}, Aside: true})
					},
				}
			},
			// Nobody else receives from that channel.
			"sends to itself": func() sickness {
				h := hubNew()
				h.byChannels(h.kick)
				h.start()
				return sickness{
					reached: still(func() bool { return h.sender.is() != 0 }),
					findings: func() []finding {
						return []finding{
							{Kinds: []string{"wait_cycle"}, Names: []string{"main.(*hub).kick"}},
							// Once a client comes, nobody else is left who has the hub.
							{Kinds: []string{"leaked"}, Names: []string{"main.(*hub)"}, Aside: true},
						}
					},
				}
			},
			"read lock upgraded": func() sickness {
				h := hubNew()
				h.byReadLock()
				h.start()
				return sickness{
					reached: func() bool { return len(h.evicting.are()) > 0 },
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"lock_cycle"}, Names: []string{"main.(*hub).publish", "main.(*hub).evict"},
							Holders: h.evicting.are(),
						}}
					},
				}
			},
		},
	}
}
