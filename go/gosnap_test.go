// SPDX-License-Identifier: Apache-2.0

//go:build linux
// +build linux

package gosnap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/ioutil"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// stub is a gosnap that takes no snapshots: a script, and where it is.
func stub(t *testing.T, script string) Options {
	folder, err := ioutil.TempDir("", "gosnap")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	path := filepath.Join(folder, "gosnap")
	if err := ioutil.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0700); err != nil {
		t.Fatal(err)
	}
	return Options{Program: path, Folder: folder, Every: -1, Timeout: 10 * time.Minute}
}

// obeys is the whole of what the package expects of gosnap monitor. It keeps its arguments.
const obeys = `
dd bs=4096 2>/dev/null | {
	head -c "$(cat "${0%/*}/length")" >"${0%/*}/arguments"
	echo ready
	head -c 1 >/dev/null
	path=$(tr '\0' '\n' <"${0%/*}/arguments" | sed -n 's/^--output=//p')
	echo >"$path"
	echo "snapshot 0 $path"
}`

// A snapshot that a test before gave up may still be ending.
func configure(t *testing.T, options Options) {
	place <- struct{}{}
	leave()
	Configure(options)
	t.Cleanup(func() { Configure(Options{}) })
}

func TestIsPanicking(t *testing.T) {
	seen := map[string]bool{}
	note := func(name string) func() { return func() { seen[name] = isPanicking() } }
	swallow := func() { _ = recover() }
	func() {
		defer note("returns")()
	}()
	func() {
		defer swallow()
		defer note("panics")()
		panic(1)
	}()
	func() {
		defer swallow()
		defer func() {
			// Somebody's deferred function panics, but not who is called by it.
			func() { defer note("called")() }()
		}()
		panic(1)
	}()
	func() {
		defer swallow()
		defer note("faults")()
		var nothing *int
		_ = *nothing
	}()
	var done sync.WaitGroup
	done.Add(1)
	go func() {
		defer done.Done()
		defer note("exits")()
		runtime.Goexit()
	}()
	done.Wait()
	note("is called")()
	want := map[string]bool{"returns": false, "panics": true, "called": false, "faults": true,
		"exits": false, "is called": false}
	if !reflect.DeepEqual(seen, want) {
		t.Errorf("%v, not %v", seen, want)
	}
}

func TestGoroutineID(t *testing.T) {
	var room [64]byte
	text := string(room[:runtime.Stack(room[:], false)])
	if want := fmt.Sprintf("goroutine %d [", goroutineID()); !strings.HasPrefix(text, want) {
		t.Errorf("%q does not begin with %q", text, want)
	}
}

type refusal struct{}

func (*refusal) Error() string { return "refused" }

func TestClassifiers(t *testing.T) {
	fails := func(error) Class { panic("of the program") }
	options := Options{Classifiers: []Classifier{
		ByTarget(Worthwhile, io.ErrUnexpectedEOF),
		ByType(Worthless, &refusal{}),
		ByTarget(Worthless, io.ErrUnexpectedEOF, io.EOF),
	}}
	for err, want := range map[error]bool{
		io.EOF: true, io.ErrUnexpectedEOF: false, errors.New("x"): false,
		fmt.Errorf("x: %w", &refusal{}): true, fmt.Errorf("x: %w", io.EOF): true,
	} {
		if got := options.worthless(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
	options.Classifiers = []Classifier{fails}
	if options.worthless(io.EOF) {
		t.Error("a classifier that panics decides")
	}
}

// The address of a worthless value must not become that of another one.
func TestWorthlessIsKept(t *testing.T) {
	collected := make(chan bool, 1)
	list := func() []WorthlessPanic {
		value := new([16]int)
		runtime.SetFinalizer(value, func(*[16]int) { collected <- true })
		return []WorthlessPanic{PanicValue(value)}
	}()
	for i := 0; i < 3; i++ {
		runtime.GC()
		time.Sleep(10 * time.Millisecond) // in which a finalizer could run
	}
	select {
	case <-collected:
		t.Error("the value was collected")
	default:
	}
	runtime.KeepAlive(list)
}

func TestHTTPArguments(t *testing.T) {
	got, err := HTTP{URL: "https://a/b", Header: []string{"A: b"}, Attempts: 3}.Arguments()
	want := []string{"--post=https://a/b", "--header=A: b", "--attempts=3"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := (HTTP{URL: "http://a b/"}).Arguments(); err == nil {
		t.Error("that is no URL")
	}
}

// What the child is told, and whom Yama is told of: this machine may have no Yama to ask.
func TestTracer(t *testing.T) {
	var named []int
	before := setPtracer
	setPtracer = func(pid int) { named = append(named, pid) }
	defer func() { setPtracer = before }()
	configure(t, stub(t, `echo $$ >"${0%/*}/pid"; printf 'ready\n'; exec cat >/dev/null`))
	if _, err := Trace(context.Background(), nil); err == nil {
		t.Error("there is a snapshot")
	}
	text, err := ioutil.ReadFile(filepath.Join(configured().Folder, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Trim(fmt.Sprint(named), "[]"); got != strings.TrimSpace(string(text))+" 0" {
		t.Errorf("named were %q, the child was %s", got, text)
	}
	// That of Monitor is named again.
	named = nil
	setMonitorTracer(7)
	allowTracer(8)
	setMonitorTracer(9)
	disallowTracer()
	setMonitorTracer(0)
	if want := []int{7, 8, 9, 0}; !reflect.DeepEqual(named, want) {
		t.Errorf("%v, not %v", named, want)
	}
}

func TestArguments(t *testing.T) {
	options := stub(t, "")
	options.Sink = HTTP{URL: "http://a/"}
	options.Arguments = []string{"--stacks"}
	options.Attributes = []Option{Attribute("a", "1")}
	r := newRequest(&options, "api,goroutine=5", []Option{Attribute("b", "x\x00y=z"), nil})
	got, err := argumentsOf(&options, r, "/p")
	if err != nil || !strings.HasPrefix(got[0], "--start-time=") {
		t.Fatal(got, err)
	}
	want := []string{"--timeout=600000ms", "--output=/p", "--trigger=api,goroutine=5",
		"--post=http://a/", "--attribute=a=1", "--attribute=b=x\ufffdy=z", "--stacks"}
	if !reflect.DeepEqual(got[1:], want) {
		t.Errorf("%q, not %q", got[1:], want)
	}
	for _, bad := range []string{"", "a\x00b"} {
		options.Arguments = []string{bad}
		if _, err := argumentsOf(&options, r, "/p"); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

// A child that is much slower than it takes to write all arguments, which are more than a page.
func TestManyArguments(t *testing.T) {
	options := stub(t, "sleep 0.2; "+obeys)
	r := newRequest(&options, "api", nil)
	for i := 0; i < 200; i++ {
		Attribute(fmt.Sprint("key", i), strings.Repeat("x", 130))(r)
	}
	words, err := argumentsOf(&options, r, strings.Repeat("p", 100))
	if err != nil {
		t.Fatal(err)
	}
	// The document's name is that of this millisecond, always of the same length.
	path, err := newPath(options.Folder)
	if err != nil {
		t.Fatal(err)
	}
	length := len(strings.Join(words, "\x00")) + 2 - 100 + len(path)
	if err := ioutil.WriteFile(filepath.Join(options.Folder, "length"), []byte(itoa(length)), 0600); err != nil {
		t.Fatal(err)
	}
	snapshot, err := take(&options, r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := ioutil.ReadFile(filepath.Join(options.Folder, "arguments"))
	if err != nil || !strings.HasSuffix(string(text), "--attribute=key199="+strings.Repeat("x", 130)+"\x00\x00") {
		t.Errorf("%v: %d bytes of %d, %v", snapshot, len(text), length, err)
	}
}

// What a program says of an error is no reason to have no snapshot.
func TestOddAttributes(t *testing.T) {
	long := strings.Repeat("\u00e9", 4000)
	var all []Option
	for i := 0; i < 400; i++ {
		all = append(all, Attribute("", "x"), Attribute(long, long), Attribute("k", "a"+long))
	}
	options := stub(t, "")
	r := newRequest(&options, "api", all)
	if len(r.attributes) != 256 {
		t.Errorf("%d attributes", len(r.attributes))
	}
	if r.attributes[0] != "?=x" {
		t.Errorf("%q", r.attributes[0])
	}
	for _, text := range r.attributes[1:3] {
		if len(text) > 4096 || len(text) < 4090 || !utf8.ValidString(text) || !strings.Contains(text, "=") {
			t.Errorf("%d bytes: %.20q", len(text), text)
		}
	}
}

func TestTimeouts(t *testing.T) {
	options := stub(t, "echo gosnap: as ever >&2; echo Try this >&2; exit 2")
	options.Timeout = 1<<63 - 1
	configure(t, options)
	if _, err := Trace(context.Background(), nil); err == nil || err.Error() != "gosnap: as ever" {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	for program, want := range map[string]string{
		"shop": "shop", "pkg.test": "pkg.test", ".hidden": "_hidden", "a-b c/d\n\xff": "a_b_c_d__",
		strings.Repeat("x", 50): strings.Repeat("x", 40),
	} {
		if got := harmless(program); got != want {
			t.Errorf("%q is called %q, not %q", program, got, want)
		}
	}
	if _, err := newPath(""); err != errNoFolder {
		t.Error(err)
	}
	before := os.Args
	defer func() { os.Args = before }()
	os.Args = nil
	if path, err := newPath("/tmp"); err != nil || !strings.Contains(path, "-program-") {
		t.Error(path, err)
	}
}

type lines struct {
	sync.Mutex
	text []string
}

func (l *lines) Printf(format string, arguments ...interface{}) {
	l.Lock()
	defer l.Unlock()
	l.text = append(l.text, fmt.Sprintf(format, arguments...))
}

func TestFailures(t *testing.T) {
	for script, want := range map[string]string{
		"echo gosnap: no luck >&2; exit 5": "gosnap: no luck",
		"exit 3":                           "/gosnap: ",
		"echo hello; sleep 1000":           `is no gosnap: it said "hello"`,
		"echo ready; echo failed 4; exec cat >/dev/null":             "exit status 4",
		"echo ready; echo snapshot 0 /etc/else; exec cat >/dev/null": "it said",
	} {
		options, heard := stub(t, script), &lines{}
		options.Logger = heard
		configure(t, options)
		_, err := Trace(context.Background(), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", script, err)
		}
		heard.Lock()
		if len(heard.text) == 0 {
			t.Errorf("%s: nothing was logged", script)
		}
		heard.Unlock()
	}
	options := stub(t, "exec sleep 1000")
	options.Timeout = 50 * time.Millisecond
	configure(t, options)
	if _, err := Trace(context.Background(), nil); err != ErrTimeout {
		t.Error(err)
	}
}

func TestRate(t *testing.T) {
	options := stub(t, "exit 1")
	options.Every = time.Hour
	configure(t, options)
	rate.last = time.Time{}
	defer func() { rate.last = time.Time{} }()
	before := Dropped()
	for i, want := range []bool{false, true, true} {
		if _, err := Trace(context.Background(), nil); (err == ErrDropped) != want {
			t.Errorf("%d: %v", i, err)
		}
	}
	if got := Dropped() - before; got != 2 {
		t.Errorf("%d were dropped", got)
	}
}

// At one time there is one. A panic waits for it, as the program may end with it.
func TestOneAtATime(t *testing.T) {
	configure(t, stub(t, `echo >"${0%/*}/began"; until test -e "${0%/*}/end"; do sleep 0.01; done; exit 1`))
	folder := configured().Folder
	ended := make(chan error)
	go func() {
		_, err := Trace(context.Background(), nil)
		ended <- err
	}()
	for _, err := os.Stat(filepath.Join(folder, "began")); err != nil; _, err = os.Stat(filepath.Join(folder, "began")) {
		time.Sleep(time.Millisecond)
	}
	if _, err := Trace(context.Background(), nil); err != ErrDropped {
		t.Error(err)
	}
	options := configured()
	waits := make(chan result)
	go func() { waits <- <-start(&options, newRequest(&options, "panic", nil), true) }()
	select {
	case found := <-waits:
		t.Error(found)
	case err := <-ended:
		t.Error(err)
	default:
	}
	if err := ioutil.WriteFile(filepath.Join(folder, "end"), nil, 0600); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || err == ErrDropped {
		t.Error(err)
	}
	if found := <-waits; found.err == nil || found.err == ErrDropped {
		t.Error(found)
	}
}

type brokenError struct{}

func (brokenError) Error() string { panic("no text") }

type loud struct{}

func (loud) Printf(string, ...interface{}) { panic("no words") }

func TestCodeOfTheProgramMayPanic(t *testing.T) {
	options := stub(t, "exit 1")
	options.Logger = loud{}
	configure(t, options)
	if _, err := Trace(context.Background(), brokenError{}); err == nil {
		t.Error("there is a snapshot")
	}
}

type silent struct{}

func (silent) Printf(string, ...interface{}) { select {} }

type badSink struct{ File }

func (badSink) Arguments() ([]string, error) { panic("of the program") }

func (badSink) Deliver(context.Context, Snapshot) error { select {} }

// It must not keep a program that panics from dying.
func TestCodeOfTheProgramMayHang(t *testing.T) {
	options := stub(t, "exit 1")
	options.Timeout = 50 * time.Millisecond
	options.Logger = silent{}
	configure(t, options)
	if _, err := Trace(context.Background(), nil); err != ErrTimeout {
		t.Error(err)
	}
	<-place // it hangs there for good
	func() {
		defer func() { recover() }()
		defer Recover()
		panic("as ever")
	}()
	<-place // it hangs there for good
}

func TestMonitorWithBadSink(t *testing.T) {
	options := stub(t, "exit 1")
	options.Sink = badSink{}
	configure(t, options)
	if err := Monitor(StandardError()); err == nil || !strings.Contains(err.Error(), "of the program") {
		t.Error(err)
	}
}

// Descriptors 0 to 2 are the program's even when it closed them.
func TestStandardDescriptors(t *testing.T) {
	kept, err := dupAbove(0)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Close(kept)
	syscall.Close(0)
	defer syscall.Dup3(kept, 0, 0)
	for i, newEnds := range []func() ([2]int, error){newTrigger, newListener} {
		ends, err := newEnds()
		if err != nil || ends[0] < 3 || ends[1] < 3 {
			t.Error(i, ends, err)
		}
		closeAll(ends[:])
	}
}

// What the module itself causes, or would keep from ending the program, is not registered.
func TestRegistrable(t *testing.T) {
	got := registrable([]os.Signal{syscall.SIGCHLD, syscall.SIGTERM, syscall.SIGPIPE, syscall.SIGURG,
		syscall.SIGTSTP})
	if !reflect.DeepEqual(got, []os.Signal{syscall.SIGTERM}) {
		t.Error(got)
	}
}

func TestContext(t *testing.T) {
	configure(t, stub(t, `echo >"${0%/*}/began"; until test -e "${0%/*}/end"; do sleep 0.01; done; exit 1`))
	ctx, cancel := context.WithCancel(context.Background())
	began := filepath.Join(configured().Folder, "began")
	go func() {
		for _, err := os.Stat(began); err != nil; _, err = os.Stat(began) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := Trace(ctx, nil); err != context.Canceled {
		t.Error(err)
	}
	if err := ioutil.WriteFile(filepath.Join(configured().Folder, "end"), nil, 0600); err != nil {
		t.Error(err)
	}
	place <- struct{}{} // it was not stopped
	leave()
	// What is over already is not waited for.
	if _, err := Trace(ctx, nil); err == context.Canceled || err == nil {
		t.Error(err)
	}
}
