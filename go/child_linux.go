// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"bytes"
	"errors"
	"fmt"
	"io/ioutil"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A child is a gosnap monitor, of gosnap-monitor(1). One goroutine looks after it, which asks now and
// then: the poller of the runtime is left out of it, and so are long timers. While the runtime waits for
// any file or timer, even for those that were closed and stopped, it finds no deadlocks.
type child struct {
	options *Options
	pid     int
	path    string // of the document
	pipe    int    // any byte in it makes it take the snapshot; -1: closed

	said, complaints text
}

// A text is what the child wrote to a pipe.
type text struct {
	descriptor int // -1: it has ended
	bytes      []byte
}

// startChild returns a child that has made sure that we are the process it is to examine.
func startChild(options *Options, r *request) (*child, error) {
	if isPrivileged() {
		return nil, errPrivileged
	}
	program, err := exec.LookPath(options.Program)
	if err != nil {
		return nil, err
	}
	path, err := newPath(options.Folder)
	if err != nil {
		return nil, err
	}
	arguments, err := argumentsOf(options, r, path)
	if err != nil {
		return nil, err
	}
	c := &child{options: options, path: path}
	if err := c.launch(program, r.standardError); err != nil {
		return nil, err
	}
	if err := c.greet(arguments); err != nil {
		c.kill()
		return nil, err
	}
	return c, nil
}

// newPath makes the folder. The name is one that gosnap's own spool could have given: the time, the
// program, the process.
func newPath(folder string) (string, error) {
	if folder == "" {
		return "", errNoFolder
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0700); err != nil {
		return "", err
	}
	now := strings.Replace(time.Now().UTC().Format("20060102T150405.000"), ".", "", 1)
	name := fmt.Sprintf("%s-%s-%d.json.zst", now, harmless(filepath.Base(programName())), os.Getpid())
	return filepath.Join(folder, name), nil
}

// programName is safe when the program changed os.Args.
func programName() string {
	if len(os.Args) > 0 {
		return os.Args[0]
	}
	return "program"
}

// harmless has letters, digits, and what shells take as it is.
func harmless(program string) string {
	const most = 40
	letters := []byte(program)
	if len(letters) > most {
		letters = letters[:most]
	}
	for i, c := range letters {
		if !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' ||
			c == '_' || c == '+' || c == '.' && i > 0) {
			letters[i] = '_'
		}
	}
	return string(letters)
}

func argumentsOf(options *Options, r *request, path string) ([]string, error) {
	ticks, err := startTime()
	if err != nil {
		return nil, err
	}
	arguments := []string{
		"--start-time=" + ticks,
		"--timeout=" + itoa(int(options.Timeout/time.Millisecond)) + "ms",
		"--output=" + path,
		"--trigger=" + r.trigger,
	}
	if r.notes != nil {
		arguments = append(arguments, r.notes.argument())
	}
	if options.Sink != nil {
		more, err := options.Sink.Arguments()
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, more...)
	}
	for _, attribute := range r.attributes {
		arguments = append(arguments, "--attribute="+attribute)
	}
	arguments = append(arguments, options.Arguments...)
	if hasNUL(arguments) {
		return nil, errors.New("gosnap: an argument is empty or has a NUL byte")
	}
	return arguments, nil
}

// startTime is field 22 of proc(5): with it our pid means us and no later process.
func startTime() (string, error) {
	const started, afterName = 22, 3
	text, err := ioutil.ReadFile("/proc/self/stat")
	if err != nil {
		return "", err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) <= started-afterName {
		return "", errors.New("gosnap: /proc/self/stat has too few fields")
	}
	return fields[started-afterName], nil
}

// launch starts the program. It belongs to no terminal of ours: what is typed there is for us.
func (c *child) launch(program string, relay bool) error {
	var theirs, ours []int
	for i := 0; i < 3; i++ {
		newEnds, mine := newListener, reading
		if i == 0 {
			newEnds, mine = newTrigger, writing
		}
		ends, err := newEnds()
		if err != nil {
			closeAll(theirs)
			closeAll(ours)
			return err
		}
		theirs, ours = append(theirs, ends[1-mine]), append(ours, ends[mine])
	}
	defer closeAll(theirs)
	// The pid is for who looks at the list of processes.
	arguments := []string{program, "monitor", "--read-arguments", itoa(os.Getpid())}
	files := []uintptr{uintptr(theirs[0]), uintptr(theirs[1]), uintptr(theirs[2])}
	if relay {
		arguments = append(arguments, "--relay=3")
		files = append(files, uintptr(syscall.Stderr))
	}
	pid, err := syscall.ForkExec(program, arguments, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: files,
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		closeAll(ours)
		return &os.PathError{Op: "exec", Path: program, Err: err}
	}
	c.pid, c.pipe = pid, ours[0]
	c.said.descriptor, c.complaints.descriptor = ours[1], ours[2]
	return nil
}

func (c *child) greet(arguments []string) error {
	limit := c.options.greetingTimeout()
	words := []byte(strings.Join(arguments, "\x00") + "\x00\x00")
	if err := c.write(words, limit); err != nil {
		return c.failure(err)
	}
	line, err := c.line(limit)
	if err != nil {
		return err
	}
	if line != "ready" {
		return fmt.Errorf("gosnap: %s is no gosnap: it said %.40q", c.options.Program, line)
	}
	return nil
}

// write sends packets.
func (c *child) write(words []byte, timeout time.Duration) error {
	for later := pauses(timeout); len(words) > 0; {
		n := len(words)
		if n > packetMax {
			n = packetMax
		}
		switch n, err := syscall.Write(c.pipe, words[:n]); err {
		case nil:
			words = words[n:]
		case syscall.EINTR:
		case syscall.EAGAIN:
			if !later.wait() {
				return ErrTimeout
			}
		default:
			return err
		}
	}
	return nil
}

// read takes what there is.
func (t *text) read() {
	const most = 64 << 10
	var room [4096]byte
	for t.descriptor >= 0 && len(t.bytes) < most {
		n, err := syscall.Read(t.descriptor, room[:])
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return
		case n <= 0:
			t.close()
		default:
			t.bytes = append(t.bytes, room[:n]...)
		}
	}
}

// line removes the next whole line.
func (t *text) line() (string, bool) {
	end := bytes.IndexByte(t.bytes, '\n')
	if end < 0 {
		return "", false
	}
	line := string(t.bytes[:end])
	t.bytes = t.bytes[end+1:]
	return line, true
}

func (t *text) close() {
	if t.descriptor >= 0 {
		syscall.Close(t.descriptor)
	}
	t.descriptor = -1
}

// line returns the next one that the child says.
func (c *child) line(timeout time.Duration) (string, error) {
	for later := pauses(timeout); ; {
		c.said.read()
		if line, ok := c.said.line(); ok {
			return line, nil
		}
		if c.said.descriptor < 0 {
			return "", c.failure(errors.New("it ended"))
		}
		if !later.wait() {
			return "", ErrTimeout
		}
	}
}

// failure is why the child is of no use, in its own words if it said any.
func (c *child) failure(err error) error {
	if complaint := c.pass(); complaint != "" {
		return errors.New("gosnap: " + complaint)
	}
	return fmt.Errorf("gosnap: %s: %v", c.options.Program, err)
}

// pass passes on to the logger what the child says on standard error, and returns the last complaint:
// advice may follow it.
func (c *child) pass() (last string) {
	const name = "gosnap: "
	complained := false
	c.complaints.read()
	for {
		line, ok := c.complaints.line()
		if !ok {
			return last
		}
		text := strings.TrimPrefix(line, name)
		if text != line || !complained {
			last = text
		}
		complained = complained || text != line
		c.options.log("%s", text)
	}
}

func (c *child) closePipe() {
	if c.pipe >= 0 {
		syscall.Close(c.pipe)
	}
	c.pipe = -1
}

// kill ends the child and all that it started: it leads a session, so a group, of its own.
func (c *child) kill() {
	_ = syscall.Kill(-c.pid, syscall.SIGKILL)
	c.leave()
}

// leave closes everything. The child ends by itself, and is no zombie then.
func (c *child) leave() {
	c.closePipe()
	c.said.close()
	for later := pauses(time.Second); !c.hasEnded(); {
		if !later.wait() {
			go c.reap()
			break
		}
	}
	if c.options.Logger == nil || c.pass() == "" && c.complaints.descriptor < 0 {
		c.complaints.close()
		return
	}
	// A document may be sent for longer.
	go c.passAll()
}

func (c *child) passAll() {
	for c.complaints.descriptor >= 0 {
		time.Sleep(100 * time.Millisecond)
		c.pass()
	}
}

func (c *child) reap() {
	for {
		if _, err := syscall.Wait4(c.pid, nil, 0, nil); err != syscall.EINTR {
			return
		}
	}
}

// hasEnded is true, and the child is no more, if it has, or if the program waits for all its children.
func (c *child) hasEnded() bool {
	pid, err := syscall.Wait4(c.pid, nil, syscall.WNOHANG, nil)
	return pid == c.pid || err != nil && err != syscall.EINTR
}

// take has a snapshot taken now.
func take(options *Options, r *request) (Snapshot, error) {
	c, err := startChild(options, r)
	if err != nil {
		return Snapshot{}, err
	}
	allowTracer(c.pid)
	defer disallowTracer()
	if err := c.write([]byte{1}, options.Timeout); err != nil {
		err = c.failure(err)
		c.kill()
		return Snapshot{}, err
	}
	c.closePipe()
	// The child gives up in time itself, unless somebody stopped it.
	line, err := c.line(options.Timeout + time.Second)
	if err == nil && strings.HasPrefix(line, "panic ") {
		r.panicked = parsePanic(line)
		line, err = c.line(options.Timeout)
	}
	if err != nil {
		c.kill()
		return Snapshot{}, err
	}
	defer c.leave()
	return c.parse(line)
}

// parse reads "snapshot STATUS FILE", "noted" or "failed STATUS".
func (c *child) parse(line string) (Snapshot, error) {
	words := strings.SplitN(line, " ", 3)
	if len(words) == 3 && words[0] == "snapshot" && words[2] == c.path {
		status, err := strconv.Atoi(words[1])
		return Snapshot{Path: words[2], Status: status}, err
	}
	if line == "noted" {
		return Snapshot{}, ErrWorthless
	}
	if len(words) == 2 && words[0] == "failed" {
		return Snapshot{}, c.failure(errors.New("exit status " + words[1]))
	}
	return Snapshot{}, c.failure(fmt.Errorf("it said %.80q", line))
}
