// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
)

// A broker: clients subscribe to topics by TCP, and publish to all that have.

const (
	brokerTopics      = 4
	brokerSubscribers = 16
	brokerPublishers  = 6
	brokerRoom        = 16 // messages of a subscriber that is slow
)

type brokerSubscriber struct {
	conn net.Conn
	out  chan string
	gone chan bool
}

type broker struct {
	address string
	mu      sync.Mutex
	topics  map[string]map[*brokerSubscriber]bool
	publish func(topic, text string)
	write   func(*brokerSubscriber)
	// Of a sick one.
	publisher holder
	waiting   gauge
	lost      gauge
}

func newBroker() *broker {
	listener := listen()
	b := &broker{address: listener.Addr().String(), topics: map[string]map[*brokerSubscriber]bool{}}
	b.publish = b.publishOrDrop
	b.write = (*brokerSubscriber).writeUntilGone
	go accept(listener, b.session)
	return b
}

// session reads what one client wants: "sub TOPIC", or "pub TOPIC TEXT".
func (b *broker) session(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		words := strings.SplitN(lines.Text(), " ", 3)
		if words[0] == "sub" {
			one := &brokerSubscriber{conn, make(chan string, brokerRoom), make(chan bool)}
			b.subscribe(words[1], one)
			go b.write(one)
			defer b.unsubscribe(words[1], one)
		} else {
			b.publish(words[1], words[2])
			fmt.Fprintln(conn, "ok")
		}
	}
}

func (b *broker) subscribe(topic string, one *brokerSubscriber) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.topics[topic] == nil {
		b.topics[topic] = map[*brokerSubscriber]bool{}
	}
	b.topics[topic][one] = true
}

//go:noinline
func (b *broker) unsubscribe(topic string, one *brokerSubscriber) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.topics[topic][one] {
		delete(b.topics[topic], one)
		close(one.gone)
	}
}

// publishOrDrop leaves out who has no room.
func (b *broker) publishOrDrop(topic, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for one := range b.topics[topic] {
		select {
		case one.out <- text:
		default:
		}
	}
}

func (s *brokerSubscriber) writeUntilGone() {
	for {
		select {
		case text := <-s.out:
			s.conn.SetWriteDeadline(time.Now().Add(5 * time.Second))
			if _, err := fmt.Fprintln(s.conn, text); err != nil {
				return
			}
		case <-s.gone:
			return
		}
	}
}

// The same, with what people get wrong.

// publishToAll waits for who has no room, and has the lock.
//
//go:noinline
func (b *broker) publishToAll(topic, text string) {
	b.waiting.begins()
	b.mu.Lock()
	b.waiting.ends()
	b.publisher.takes()
	for one := range b.topics[topic] {
		one.out <- text
	}
	b.publisher.gives()
	b.mu.Unlock()
}

// writeAlways has no deadline.
func (s *brokerSubscriber) writeAlways() {
	for text := range s.out {
		if _, err := fmt.Fprintln(s.conn, text); err != nil {
			return
		}
	}
}

// publishAndUnsubscribe calls what locks, and has the lock.
//
//go:noinline
func (b *broker) publishAndUnsubscribe(topic, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for one := range b.topics[topic] {
		select {
		case one.out <- text:
		default:
			b.publisher.takes()
			b.unsubscribe(topic, one)
		}
	}
}

// writeForever is not told when the client has gone.
//
//go:noinline
func (s *brokerSubscriber) writeForever(lost *gauge) {
	lost.begins()
	for text := range s.out {
		fmt.Fprintln(s.conn, text)
	}
}

// The clients.

func (b *broker) dial() (net.Conn, *bufio.Scanner) {
	conn, err := net.Dial("tcp", b.address)
	if err != nil {
		panic(err)
	}
	return conn, bufio.NewScanner(conn)
}

// subscriber reads all that comes.
func (b *broker) subscriber(n int) {
	conn, lines := b.dial()
	fmt.Fprintf(conn, "sub topic%d\n", n%brokerTopics)
	for lines.Scan() {
		operation()
	}
}

// visitor subscribes for a while, again and again.
func (b *broker) visitor(n int) {
	for {
		conn, lines := b.dial()
		fmt.Fprintf(conn, "sub topic%d\n", n%brokerTopics)
		for i := 0; i < 10 && lines.Scan(); i++ {
		}
		conn.Close()
	}
}

// sleeper subscribes, and reads nothing of what comes.
func (b *broker) sleeper() net.Conn {
	conn, _ := b.dial()
	conn.(*net.TCPConn).SetReadBuffer(4096)
	fmt.Fprintln(conn, "sub topic0")
	return conn
}

// traffic publishes texts of this size.
func (b *broker) traffic(size int) {
	for i := 0; i < brokerSubscribers; i++ {
		go b.subscriber(i)
	}
	for i := 0; i < brokerPublishers; i++ {
		go b.publisherOf(i, strings.Repeat("news ", size/5))
	}
}

func (b *broker) publisherOf(n int, text string) {
	conn, lines := b.dial()
	r := dice(n)
	for {
		time.Sleep(time.Duration(r.Intn(40)) * time.Millisecond)
		fmt.Fprintf(conn, "pub topic%d %s\n", r.Intn(brokerTopics), text)
		if !lines.Scan() {
			return
		}
		operation()
	}
}

// brokerKept are connections that their clients have, and do not use.
var brokerKept []net.Conn

func init() {
	services["pubsub"] = service{
		healthy: func() {
			b := newBroker()
			b.traffic(100)
			for i := 0; i < 4; i++ {
				go b.visitor(i)
			}
		},
		sick: map[string]func() sickness{
			"lock held while a subscriber is slow": func() sickness {
				b := newBroker()
				b.publish = b.publishToAll
				b.write = (*brokerSubscriber).writeAlways
				b.traffic(20000)
				brokerKept = append(brokerKept, b.sleeper())
				return sickness{
					reached: stays(func() bool { return b.publisher.is() != 0 && b.waiting.now() == brokerPublishers-1 }),
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"lock_held"}, Names: []string{"main.(*broker).publishToAll"},
							Holders: []int64{b.publisher.is()},
						}}
					},
				}
			},
			"unsubscribed while it publishes": func() sickness {
				b := newBroker()
				b.publish = b.publishAndUnsubscribe
				b.write = (*brokerSubscriber).writeAlways
				b.traffic(20000)
				brokerKept = append(brokerKept, b.sleeper())
				return sickness{
					reached: func() bool { return b.publisher.is() != 0 },
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"lock_cycle"}, Holders: []int64{b.publisher.is()},
							Names: []string{"main.(*broker).publishAndUnsubscribe", "main.(*broker).unsubscribe"},
						}}
					},
				}
			},
			"writers not ended": func() sickness {
				b := newBroker()
				b.write = func(one *brokerSubscriber) { one.writeForever(&b.lost) }
				b.traffic(100)
				for i := 0; i < 4; i++ {
					go b.visitor(i)
				}
				return sickness{
					// Of these, so many cannot be of those that are there.
					reached: func() bool { return b.lost.now() >= 4*brokerSubscribers },
					findings: func() []finding {
						return []finding{{Kinds: []string{"leaked"}, Names: []string{"main.(*brokerSubscriber).writeForever"}}}
					},
				}
			},
		},
	}
}
