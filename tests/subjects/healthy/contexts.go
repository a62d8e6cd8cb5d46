// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

type contextKey struct{}

// A session has the context with which it was made, and works on without it.
type session struct {
	ctx  context.Context
	left chan int
}

//go:noinline
func (s *session) rest() {
	<-s.left
	contextSeen(s.ctx)
}

func cancelledContext(value int) context.Context {
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), contextKey{}, value))
	cancel()
	return ctx
}

func init() {
	programs["clients that leave"] = func() {
		listener := listen()
		go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			// Some of it is done whether anybody waits for it or not.
			<-r.Context().Done()
			time.Sleep(2 * time.Millisecond)
			work(20)
			contextSeen(r.Context())
		}))
		each(clients, func(int) {
			conn, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				panic(err)
			}
			io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
			time.Sleep(time.Millisecond)
			conn.Close()
		})
	}
	programs["clients that leave for ever"] = func() {
		// The handler does what was asked for, however long that takes.
		listener := listen()
		go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Hour)
			contextSeen(r.Context())
		}))
		for i := 0; i < clients; i++ {
			conn, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				panic(err)
			}
			io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
			conn.Close()
		}
	}
	programs["shutdown"] = func() {
		each(4, func(int) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			server := &http.Server{Handler: http.NotFoundHandler()}
			go server.Serve(listen())
			<-ctx.Done()
			other, stop := context.WithTimeout(context.Background(), time.Second)
			defer stop()
			server.Shutdown(other)
			contextSeen(ctx)
		})
	}
	programs["contexts for their values"] = func() {
		// What is begun for a request goes on when that is over.
		for i := 0; i < clients; i++ {
			ctx := cancelledContext(i)
			go func() {
				time.Sleep(time.Hour)
				fmt.Println(ctx.Value(contextKey{}))
			}()
		}
	}
	programs["sessions with old contexts"] = func() {
		for i := 0; i < clients; i++ {
			s := &session{cancelledContext(i), make(chan int)}
			go s.rest()
			go func() { time.Sleep(time.Hour); s.left <- 1 }()
		}
	}
	programs["waits after it has cancelled"] = func() {
		for i := 0; i < clients; i++ {
			ctx, cancel := context.WithCancel(context.Background())
			var group sync.WaitGroup
			group.Add(1)
			go func() {
				defer group.Done()
				<-ctx.Done()
				time.Sleep(time.Hour)
			}()
			go func() {
				cancel()
				group.Wait()
				contextSeen(ctx)
			}()
		}
	}
}
