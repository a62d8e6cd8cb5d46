// SPDX-License-Identifier: Apache-2.0

// Subject: its arguments say which contexts goroutines have that are done: all of that at once. Everything
// stands still once READY is printed, and all have waited long.
package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"subjects/truth"
	"sync"
	"time"
)

var cases = map[string]func(){}

// parks runs f in a goroutine that states where it waits.
func parks(f func()) {
	before := truth.Count()
	go f()
	truth.Await(before + 1)
}

// expired returns a context whose deadline has passed.
func expired() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	<-ctx.Done()
	cancel()
	return ctx
}

// cancelled returns a context that was cancelled long before its deadline.
func cancelled() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	cancel()
	return ctx
}

var kept interface{}

//go:noinline
func uses(x interface{}) { kept = x }

// A session works for its context.
type session struct {
	name string
	work struct {
		ctx context.Context
	}
}

//go:noinline
func (s *session) run() {
	truth.Below("sleeps", "sleep")
	time.Sleep(time.Hour)
	uses(s)
}

//go:noinline
func (s *session) stay() {
	truth.Below("sleeps", "sleep")
	time.Sleep(time.Hour)
	uses(s)
}

func newSession(ctx context.Context) *session {
	s := &session{name: "s"}
	s.work.ctx = ctx
	return s
}

//go:noinline
func goesOn(ctx context.Context) {
	truth.Below("sleeps", "sleep")
	time.Sleep(time.Hour)
	uses(ctx)
}

// waits has nothing to do with a context.
//
//go:noinline
func waits() {
	truth.Below("sleeps", "sleep")
	time.Sleep(time.Hour)
}

// serve handles requests, and returns where. limit: of how long it reads one; 0: none.
func serve(handler http.Handler, limit time.Duration) (*http.Server, string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := &http.Server{Handler: handler, ReadTimeout: limit}
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		select {
		case accepted <- conn:
		default:
		}
	}
	go server.Serve(listener)
	return server, listener.Addr().String()
}

// asks sends a request, and returns the connection when a handler has it.
func asks(to string) net.Conn {
	before := truth.Count()
	conn, err := net.Dial("tcp", to)
	if err != nil {
		panic(err)
	}
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	truth.Await(before + 1)
	return conn
}

var (
	seen     = make(chan context.Context, 1)
	accepted = make(chan net.Conn, 1)
)

// handles does not look at its request again.
//
//go:noinline
func handles(w http.ResponseWriter, r *http.Request) {
	seen <- r.Context()
	truth.Below("sleeps", "sleep")
	time.Sleep(time.Hour)
}

//go:noinline
func handlesIt(w http.ResponseWriter, r *http.Request) {
	truth.Below("sleeps", "sleep")
	time.Sleep(time.Hour)
	uses(r)
}

// limitsHandler limits what becomes something else, which lasts.
//
//go:noinline
func limitsHandler(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	takesOver(w, r.WithContext(ctx))
	uses(ctx)
}

//go:noinline
func takesOver(w http.ResponseWriter, r *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	stay = append(stay, conn)
	truth.Below("sleeps", "sleep")
	time.Sleep(time.Hour)
	uses(r)
}

// leave closes the connection, and returns when the server knows.
func leave(conn net.Conn) {
	ctx := <-seen
	conn.Close()
	<-ctx.Done()
}

func init() {
	cases["captured"] = func() {
		for i := 0; i < 3; i++ {
			ctx := expired()
			parks(func() {
				truth.Below("sleeps", "sleep")
				time.Sleep(time.Hour)
				uses(ctx)
			})
		}
	}
	cases["captured by reference"] = func() {
		ctx := expired()
		parks(func() {
			truth.Below("sleeps", "sleep")
			time.Sleep(time.Hour)
			uses(ctx)
		})
		ctx = context.WithValue(ctx, "key", 1)
	}
	cases["captured by a call in place"] = func() {
		parks(func() { callsInPlace(expired()) })
	}
	cases["request"] = func() {
		_, at := serve(http.TimeoutHandler(http.HandlerFunc(handlesIt), time.Millisecond, ""), 0)
		for i := 0; i < 2; i++ {
			kept = asks(at)
		}
	}
	cases["struct"] = func() {
		for i := 0; i < 3; i++ {
			s := newSession(expired())
			parks(func() { s.run() })
		}
	}
	cases["cancelled"] = func() {
		for i := 0; i < 3; i++ {
			ctx := cancelled()
			parks(func() { goesOn(ctx) })
		}
	}
	cases["cancelled and captured"] = func() {
		for i := 0; i < 2; i++ {
			ctx, cancel := context.WithCancel(expired())
			cancel()
			ctx, cancel = context.WithCancel(cancelled())
			_ = cancel
			parks(func() {
				truth.Below("sleeps", "sleep")
				time.Sleep(time.Hour)
				uses(ctx)
			})
		}
	}
	cases["cancelled in a struct"] = func() {
		s := newSession(cancelled())
		parks(func() { s.stay() })
	}
	cases["clients gone"] = func() {
		_, at := serve(http.HandlerFunc(handles), 0)
		for i := 0; i < 2; i++ {
			leave(asks(at))
		}
	}
	cases["one of the clients gone"] = func() {
		_, at := serve(http.HandlerFunc(handles), 0)
		for i := 0; i < 5; i++ {
			kept = asks(at)
			stay = append(stay, kept.(net.Conn))
			<-seen
		}
		leave(asks(at))
	}

	// These are well.
	cases["captured by a deferred call"] = func() {
		parks(func() { drains(expired()) })
	}
	cases["passed by a deferred call"] = func() {
		parks(func() { drainsElsewhere(expired()) })
		parks(func() { drainsAt(expired()) })
	}
	cases["captured, and not used again"] = func() {
		ctx := expired()
		parks(func() {
			uses(ctx)
			truth.Below("sleeps", "sleep")
			time.Sleep(time.Hour)
		})
	}
	cases["cancelled before the deadline"] = func() {
		ctx, _ := context.WithTimeout(context.Background(), 50*time.Millisecond)
		child, cancel := context.WithCancel(ctx)
		cancel()
		parks(func() { goesOn(child) })
		<-ctx.Done()
	}
	cases["works for another context"] = func() {
		parks(func() { shutsDown(expired()) })
	}
	cases["waits for others"] = func() {
		var group sync.WaitGroup
		group.Add(1)
		ctx := cancelled()
		parks(func() {
			truth.Below("waits", "semacquire|sync.WaitGroup.Wait")
			group.Wait()
			uses(ctx)
		})
		parks(func() { defer group.Done(); waits() })
	}
	cases["request of a client"] = func() {
		parks(func() { retries(expired()) })
	}
	cases["command"] = func() {
		parks(func() { hasRun(exec.CommandContext(expired(), "/bin/true")) })
	}
	cases["struct of its own"] = func() {
		parks(func() {
			s := newSession(expired())
			uses(s.name)
			waits()
			uses(s.name)
		})
	}
	cases["client is there"] = func() {
		_, at := serve(http.HandlerFunc(handles), 0)
		stay = append(stay, asks(at))
		<-seen
	}
	cases["connection taken over"] = func() {
		_, at := serve(http.HandlerFunc(limitsHandler), 0)
		stay = append(stay, asks(at))
	}
	cases["server closes"] = func() {
		server, at := serve(http.HandlerFunc(handles), 0)
		stay = append(stay, asks(at))
		ctx := <-seen
		server.Close()
		<-ctx.Done()
	}
	cases["server that limits how long it reads"] = func() {
		_, at := serve(http.HandlerFunc(handles), time.Hour)
		stay = append(stay, asks(at))
		// As if that time had passed.
		(<-accepted).SetReadDeadline(time.Now())
		<-(<-seen).Done()
	}
}

var stay []net.Conn

// drains ends when its context does, and needs long for that.
//
//go:noinline
func drains(ctx context.Context) {
	defer func() {
		truth.Below("sleeps", "sleep")
		time.Sleep(time.Hour)
		uses(ctx)
	}()
	<-ctx.Done()
}

//go:noinline
func drainsElsewhere(ctx context.Context) {
	defer func() {
		goesOn(ctx)
	}()
	<-ctx.Done()
}

//go:noinline
func drainsAt(ctx context.Context) {
	defer goesOn(ctx)
	<-ctx.Done()
}

// callsInPlace calls what is like a deferred call, and has one.
//
//go:noinline
func callsInPlace(ctx context.Context) {
	defer uses(1)
	func() {
		defer uses(2)
		truth.Below("sleeps", "sleep")
		time.Sleep(time.Hour)
		uses(ctx)
	}()
}

//go:noinline
func shutsDown(ctx context.Context) {
	other, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	waitsFor(other)
	uses(ctx)
}

//go:noinline
func waitsFor(ctx context.Context) {
	truth.Below("selects", "select")
	select {
	case <-ctx.Done():
	case <-make(chan int):
	}
	uses(ctx)
}

// retries asks again later, for another context.
//
//go:noinline
func retries(ctx context.Context) {
	request, _ := http.NewRequestWithContext(ctx, "GET", "http://localhost/", nil)
	afterwards(request, &http.Response{Request: request})
}

//go:noinline
func afterwards(request *http.Request, response *http.Response) {
	truth.Below("sleeps", "sleep")
	time.Sleep(time.Hour)
	uses(request.URL)
	uses(response.Request.URL)
}

//go:noinline
func hasRun(command *exec.Cmd) {
	truth.Below("sleeps", "sleep")
	time.Sleep(time.Hour)
	uses(command.Path)
}

// waitLong returns when the runtime knows of all that they have waited long. It notes when the
// collection before it began.
func waitLong() {
	runtime.GC()
	runtime.GC()
	time.Sleep(10500 * time.Millisecond)
}

func main() {
	truth.EndWithStdin()
	for _, name := range os.Args[1:] {
		cases[name]()
	}
	waitLong()
	truth.Ready()
	select {}
}
