// SPDX-License-Identifier: Apache-2.0

// handled has snapshots taken of itself by the package gosnap, and dies, or goes on, in the way that it
// is told to.
//
// usage: handled HOW WAY
//
// The environment has options: PROGRAM, FOLDER, ARGUMENTS, TIMEOUT, EVERY, POST, PUT,
// ATTEMPTS, BUSY, HANDLED, WORTHLESS, LOG, INIT, JAIL, ROOT.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gosnap.invalid/gosnap"
	"subjects/truth"
)

// Facts of what is to come.
type facts struct {
	Goroutine int64  `json:"goroutine"`
	Function  string `json:"function"`
	Line      int    `json:"line"`
	Started   bool   `json:"started"` // what was asked for was begun
}

type index struct {
	name string
	seen map[string]int
}

type failure struct{ code int }

func (f *failure) Error() string { return "failure " + strconv.Itoa(f.code) }

var started = true

// how is deferred.
var how = nothing

// dying is called in the function that is to blame, LINES before the line. It returns when it is
// time to die.
func dying(lines int) {
	pc, _, line, _ := runtime.Caller(1)
	text, _ := json.Marshal(facts{truth.Goid(), runtime.FuncForPC(pc).Name(), line + lines, started})
	fmt.Printf("%s\nREADY\n", text)
	wait()
}

func wait() {
	var b [1]byte
	os.Stdin.Read(b[:])
}

//go:noinline
func (x *index) add(word string) {
	dying(1)
	x.seen[word]++
}

//go:noinline
func (x *index) length() int {
	dying(1)
	return len(x.name)
}

func writeNil() {
	x := &index{name: "words"}
	x.add("one")
}

func readNil() {
	var x *index
	x.length()
}

func fail() {
	dying(1)
	panic(&failure{3})
}

func divide() {
	var none int
	dying(1)
	fmt.Println(1 / none)
}

// again panics with what it recovered.
func again() {
	defer func() {
		if v := recover(); v != nil {
			panic(v)
		}
	}()
	fail()
}

func deadlock() {
	dying(0)
	select {}
}

func concurrently() {
	m := map[int]int{}
	dying(0)
	for i := 0; i < 4; i++ {
		go func() {
			for {
				m[1]++
			}
		}()
	}
	time.Sleep(time.Hour)
}

func exitNow() {
	dying(0)
	runtime.Goexit()
}

func waits() {
	dying(0)
	time.Sleep(time.Hour)
}

// chatters writes to standard error all the while, and returns.
func chatters() {
	for i := 0; i < 4; i++ {
		go func() {
			for {
				os.Stderr.WriteString("...")
			}
		}()
	}
	dying(0)
}

// recovered panics with Recover, and somebody else recovers it; nested: while it panics, a function
// with a deferred Recover of its own returns.
func recovered() {
	func() {
		defer func() { fmt.Println("recovered", recover()) }()
		defer how()
		fail()
	}()
}

func nested() {
	func() {
		defer func() { fmt.Println("recovered", recover()) }()
		defer func() {
			func() {
				defer how()
			}()
		}()
		fail()
	}()
}

func returns() { dying(0) }

// looped has deferred calls that the compiler cannot put at the end of the function.
func looped() {
	for i := 0; i < 2; i++ {
		defer how()
	}
	writeNil()
}

// direct calls it by its name, and without arguments.
func direct() {
	if os.Args[1] == "recover" {
		defer gosnap.Recover()
	}
	writeNil()
}

// called defers a function that calls it: as with recover(), that is too late.
func called() {
	defer func() { how() }()
	returns()
}

// crowd works meanwhile.
func crowd(n int) {
	for i := 0; i < n; i++ {
		go func(i int) {
			for seen := map[int]int{}; ; time.Sleep(time.Millisecond) {
				for k := 0; k < 100; k++ {
					seen[k%8] += k
				}
			}
		}(i)
	}
}

func elsewhere() {
	go func() {
		defer how()
		writeNil()
	}()
	time.Sleep(time.Hour)
}

// unseen panics as fail does, but nobody there calls Recover.
func unseen() { panic(same) }

var same = &failure{5}

func panicsAgain() {
	defer func() { recover() }()
	defer how()
	panic(same)
}

// lives: the first panic is recovered, another ends the program.
func lives() {
	recovered()
	writeNil()
}

// What follows is in a goroutine without a Recover of its own.
func another(f func()) {
	go f()
	time.Sleep(time.Hour)
}

func other()    { recovered(); another(unseen) }
func equal()    { panicsAgain(); another(unseen) }
func elseways() { another(func() { panicsAgain(); unseen() }) }

func late() {
	another(func() {
		defer func() { panic("late") }()
		defer how()
		fail()
	})
}

// loops panics in the same place each time. The last time, nobody recovers it.
func loops() {
	another(func() {
		for i := 0; i < 3; i++ {
			func() {
				defer func() {
					if i < 2 {
						recover()
					}
				}()
				defer how()
				panic(same)
			}()
		}
	})
}

var ways = map[string]func(){
	"nil-map": writeNil, "nil-field": readNil, "own": fail, "divide": divide, "again": again,
	"deadlock": deadlock, "concurrently": concurrently, "goexit": exitNow, "returns": returns,
	"waits": waits, "recovered": recovered, "nested": nested, "elsewhere": elsewhere,
	"looped": looped, "direct": direct, "called": called,
	"unseen": unseen, "lives": lives, "other": other, "equal": equal, "elseways": elseways, "late": late,
	"loops": loops, "chatters": chatters,
}

func nothing(...gosnap.Option) {}

var monitorLater = func() {}

func duration(name string) time.Duration {
	d, _ := time.ParseDuration(os.Getenv(name))
	return d
}

func number(name string) int {
	n, _ := strconv.Atoi(os.Getenv(name))
	return n
}

func configure() {
	options := gosnap.Options{
		Program: os.Getenv("PROGRAM"), Folder: os.Getenv("FOLDER"),
		Arguments: strings.Fields(os.Getenv("ARGUMENTS")),
		Timeout:   duration("TIMEOUT"), Every: duration("EVERY"),
		Worthless:      worthless(),
		SignalsHandled: os.Getenv("HANDLED") != "",
		Attributes:     []gosnap.Option{gosnap.Attribute("service", "shop")},
	}
	header := []string{"Authorization: Bearer 0123456789abcdef0123"}
	if url := os.Getenv("POST"); url != "" {
		options.Sink = gosnap.HTTP{URL: url, Header: header, Attempts: number("ATTEMPTS")}
	}
	if url := os.Getenv("PUT"); url != "" {
		options.Sink = gosnap.HTTP{URL: url, Put: true, Header: header, Attempts: number("ATTEMPTS")}
	}
	if os.Getenv("LOG") != "" {
		options.Logger = log.New(os.Stderr, "", 0)
	}
	gosnap.Configure(options)
}

func worthless() []gosnap.WorthlessPanic {
	switch os.Getenv("WORTHLESS") {
	case "value":
		return []gosnap.WorthlessPanic{gosnap.PanicValue(errors.New("x")), gosnap.PanicValue(same)}
	case "type":
		return []gosnap.WorthlessPanic{gosnap.PanicType(1), gosnap.PanicType((*failure)(nil))}
	}
	return nil
}

// trace asks for a snapshot, and says how that went, and how many were refused.
func trace(times int) {
	for i := 0; i < times; i++ {
		snapshot, err := gosnap.Trace(context.Background(), fmt.Errorf("wrapped: %w", &failure{4}),
			gosnap.Attribute("password", "correcthorse77"))
		fmt.Println(snapshot.Path, snapshot.Status, err)
	}
	fmt.Println(gosnap.Dropped())
}

func signals() []os.Signal {
	return []os.Signal{syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGUSR1,
		syscall.SIGHUP, syscall.SIGTSTP}
}

// jail makes a folder the root, if there is one of that name.
func jail(name string) {
	root := os.Getenv(name)
	if root == "" {
		return
	}
	if err := syscall.Chroot(root); err != nil {
		panic(err)
	}
	os.Chdir("/")
}

// init dies, if it is to, with INIT instead of HOW.
func init() {
	if os.Getenv("INIT") == "" {
		return
	}
	configure()
	switch os.Getenv("INIT") {
	case "recover":
		defer gosnap.Recover()
	case "monitor":
		started = gosnap.Monitor() == nil
	case "standard-error":
		started = gosnap.Monitor(gosnap.StandardError()) == nil
	}
	writeNil()
}

func main() {
	configure()
	jail("JAIL")
	crowd(number("BUSY"))
	switch os.Args[1] {
	case "none":
	case "none-signals": // it dies of them itself
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, signals()...)
		go func() { fmt.Println(<-heard); os.Exit(7) }()
	case "recover":
		how = gosnap.Recover
	case "trace":
		trace(1)
	case "ask": // and say nothing of it
		gosnap.Trace(context.Background(), &failure{4})
	case "traces":
		trace(3)
	case "monitor":
		started = gosnap.Monitor() == nil
	case "both":
		started = gosnap.Monitor() == nil
		how = gosnap.Recover
	case "both-late": // Monitor comes second
		how = gosnap.Recover
		monitorLater = func() { started = gosnap.Monitor() == nil }
	case "both-error":
		started = gosnap.Monitor(gosnap.StandardError()) == nil
		how = gosnap.Recover
	case "standard-error":
		started = gosnap.Monitor(gosnap.StandardError()) == nil
		log.SetFlags(0)
		log.Print("logged")
	case "register":
		gosnap.Register(signals()...)
	default:
		panic(errors.New("no such way: " + os.Args[1]))
	}
	defer how(gosnap.Attribute("request", "7"))
	monitorLater()
	jail("ROOT")
	ways[os.Args[2]]()
}
