// SPDX-License-Identifier: Apache-2.0

// Subject that calls functions from many goroutines once it is told to, and then says of each call what its
// arguments and its stack were. Stacks grow in these calls, and goroutines are preempted.
//
// usage: calls GOROUTINES CALLS
//        calls GOROUTINES CALLS lasting: calls main.lasting() only, and says how long each call took by its own
//        clock, from inside and from outside
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"time"
)

type call struct {
	Function  string
	Goroutine int
	Arguments map[string]interface{}
	Results   []string // nil: it panics
	Stack     []string // of the callers, "function:line"
}

type request struct {
	ID   int
	Path string
	body []byte
	Next *request
}

type server struct {
	name string
	hits int64
}

type reply struct {
	label  string
	factor float64
	number int16
}

type point struct {
	X, Y  int32
	Label string
}

var (
	lock   sync.Mutex
	calls  []call
	chosen = errors.New("chosen")
)

func goroutine() int {
	text := make([]byte, 64)
	text = text[:runtime.Stack(text, false)]
	id, _ := strconv.Atoi(string(bytes.Fields(text)[1]))
	return id
}

func note(arguments map[string]interface{}, results ...interface{}) {
	pcs := make([]uintptr, 200)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	c := call{Goroutine: goroutine(), Arguments: arguments}
	for _, r := range results {
		c.Results = append(c.Results, fmt.Sprint(r))
	}
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if c.Function == "" {
			c.Function = f.Function
			continue
		}
		c.Stack = append(c.Stack, fmt.Sprintf("%s:%d", f.Function, f.Line))
	}
	lock.Lock()
	calls = append(calls, c)
	lock.Unlock()
}

//go:noinline
func plain(id int, name string, data []byte, ok bool, small uint8, list []string) int {
	note(map[string]interface{}{"id": id, "name": name, "data": fmt.Sprintf("%x", data), "ok": ok,
		"small": small, "list": strings.Join(list, ",")}, id+len(name))
	return id + len(name)
}

//go:noinline
func (s *server) handle(id int, r *request, err error) (int, error) {
	note(map[string]interface{}{"id": id, "s": s.name, "r": r.Path, "err": err.Error()}, r.ID, err)
	return r.ID, err
}

//go:noinline
func mixed(p point, f float64, v interface{}, id int) reply {
	note(map[string]interface{}{"id": id, "p": fmt.Sprintf("%d %d %s", p.X, p.Y, p.Label), "v": fmt.Sprint(v)}, p.Label, 2*id)
	return reply{p.Label, f, int16(2 * id)}
}

//go:noinline
func counted(id int, m map[string]int, c chan int) int {
	note(map[string]interface{}{"id": id, "m": len(m), "c": len(c)}, len(m)+len(c))
	return len(m) + len(c)
}

// Too much for the stack that a goroutine begins with.
//go:noinline
func grown(id, depth int, pad [16]uint64) uint64 {
	note(map[string]interface{}{"id": id, "depth": depth}, pad[15]+uint64(depth*(depth+1)/2))
	if depth == 0 {
		return pad[15]
	}
	pad[15] += uint64(depth)
	return grown(id+1, depth-1, pad)
}

// Every other call ends by a panic.
//go:noinline
func fails(id int) (text string) {
	if id%200 == 6 {
		note(map[string]interface{}{"id": id})
		panic(id)
	}
	note(map[string]interface{}{"id": id}, "fine")
	return "fine"
}

func recovers(id int) {
	defer func() { _ = recover() }()
	fails(id)
}

// Is inlined.
func through(id int, name string) int { return plain(id, name, nil, false, 7, []string{"a", name}) + 1 }

func all(id int) int {
	name := fmt.Sprintf("name %d", id)
	s := &server{name: "s" + name}
	n := plain(id, name, []byte{byte(id), 1, 2}, id%2 == 0, uint8(id), nil)
	n += through(id+1, strings.Repeat("x", id%40))
	_, _ = s.handle(id+2, &request{ID: id, Path: "/" + name, Next: &request{}}, fmt.Errorf("error %d", id))
	_, _ = s.handle(id+3, &request{ID: id, Path: "/" + name}, chosen)
	n += len(mixed(point{int32(id), int32(-id), name}, 1.5, name, id%5000).label)
	n += len(mixed(point{1, 2, ""}, 2.5, id, id%5000+1).label)
	c := make(chan int, 2)
	c <- id
	n += counted(id, nil, c)
	n += counted(id+1, map[string]int{name: id, "": 1}, nil)
	recovers(id + 6)
	return n
}

func work(first, n int) {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("worker", fmt.Sprint(first), "what", "calls")))
	for i := 0; i < n; i++ {
		id := first + i*100
		all(id)
		done := make(chan bool)
		go func() {
			var pad [16]uint64
			grown(id+10, 12, pad)
			close(done)
		}()
		<-done
		runtime.Gosched()
	}
}

// Inside <= the time of the call <= Outside, in ns.
type duration struct {
	ID              int
	Inside, Outside int64
}

var durations = []time.Duration{0, 30 * time.Microsecond, 700 * time.Microsecond, 3 * time.Millisecond,
	11 * time.Millisecond, 50 * time.Millisecond}

//go:noinline
func lasting(id int, d time.Duration) (int, int64) {
	began := time.Now()
	if d > time.Millisecond {
		time.Sleep(d)
	}
	for time.Since(began) < d {
	}
	return id, int64(time.Since(began))
}

func last(first, calls int, to chan<- duration) {
	for i := 0; i < calls; i++ {
		began := time.Now()
		id, inside := lasting(first+i, durations[i%len(durations)])
		to <- duration{id, inside, int64(time.Since(began))}
	}
}

func lastAll(goroutines, calls int) {
	to := make(chan duration, goroutines*calls)
	for g := 0; g < goroutines; g++ {
		go last(g*calls, calls, to)
	}
	for i := 0; i < goroutines*calls; i++ {
		line, _ := json.Marshal(<-to)
		fmt.Println(string(line))
	}
	fmt.Println("END")
}

func main() {
	goroutines, _ := strconv.Atoi(os.Args[1])
	n, _ := strconv.Atoi(os.Args[2])
	in := bufio.NewReader(os.Stdin)
	fmt.Println("READY")
	_, _ = in.ReadString('\n')
	if len(os.Args) > 3 {
		lastAll(goroutines, n)
		_, _ = in.ReadString('\n')
		return
	}
	var group sync.WaitGroup
	stop := make(chan bool)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for g := 0; g < goroutines; g++ {
		group.Add(1)
		go func(g int) {
			defer group.Done()
			work(g*10000000, n)
		}(g)
	}
	group.Wait()
	close(stop)
	out := bufio.NewWriter(os.Stdout)
	for _, c := range calls {
		line, _ := json.Marshal(c)
		out.Write(line)
		out.WriteByte('\n')
	}
	fmt.Fprintln(out, "END")
	out.Flush()
	_, _ = in.ReadString('\n')
}
