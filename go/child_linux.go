// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"bufio"
	"errors"
	"fmt"
	"io/ioutil"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	packetMax   = 4096 // PIPE_BUF: a write to the pipe that is one packet
	setPipeSize = 1031 // F_SETPIPE_SZ
)

// A child is a gosnap monitor, of gosnap-monitor(1).
type child struct {
	options *Options
	process *os.Process
	pipe    int         // any byte in it makes it take the snapshot; -1: closed
	path    string      // of the document
	lines   chan string // what it says; closed when it has ended

	said, complaints *os.File // its standard output and error

	mutex     sync.Mutex
	complaint string // what it said last on standard error
	detached  bool
}

// startChild returns a child that has made sure that we are the process it is to examine.
func startChild(options *Options, r *request) (*child, error) {
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
	c := &child{options: options, path: path, lines: make(chan string, 4)}
	if err := c.launch(program, r.standardError); err != nil {
		return nil, err
	}
	if err := c.greet(arguments); err != nil {
		c.kill()
		return nil, err
	}
	return c, nil
}

// newPath makes the folder. Names tell programs and times apart.
func newPath(folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0700); err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s-%d-%s.json.zst", filepath.Base(os.Args[0]), os.Getpid(),
		time.Now().UTC().Format("20060102T150405.000Z"))
	return filepath.Join(folder, name), nil
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
	if options.Sink != nil {
		more, err := options.Sink.Arguments()
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, more...)
	}
	for _, attribute := range r.attributes {
		// A program's words, of any bytes: not a reason to have no snapshot.
		attribute = strings.Replace(attribute, "\x00", "\ufffd", -1)
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

// newPipe returns both ends of a pipe that has room for one packet: a writer is kept in write() from
// the second on, until the first is read. Writing does not block us until greet is over.
func newPipe() (reading *os.File, writing int, err error) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC|syscall.O_DIRECT); err != nil {
		return nil, -1, os.NewSyscallError("pipe2", err)
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(ends[1]), setPipeSize, packetMax)
	if errno == 0 {
		errno, _ = syscall.SetNonblock(ends[1], true).(syscall.Errno)
	}
	if errno != 0 {
		syscall.Close(ends[0])
		syscall.Close(ends[1])
		return nil, -1, os.NewSyscallError("fcntl", errno)
	}
	return os.NewFile(uintptr(ends[0]), "|0"), ends[1], nil
}

// launch starts the program. It belongs to no terminal of ours: what is typed there is for us.
func (c *child) launch(program string, relay bool) error {
	var opened []*os.File
	defer func() {
		for _, file := range opened {
			file.Close()
		}
	}()
	stdin, pipe, err := newPipe()
	if err != nil {
		return err
	}
	opened = append(opened, stdin)
	said, stdout, err := os.Pipe()
	if err != nil {
		syscall.Close(pipe)
		return err
	}
	opened = append(opened, stdout)
	complaints, stderr, err := os.Pipe()
	if err != nil {
		syscall.Close(pipe)
		said.Close()
		return err
	}
	opened = append(opened, stderr)
	// The pid is for who looks at the list of processes.
	arguments := []string{program, "monitor", "--read-arguments", itoa(os.Getpid())}
	files := []*os.File{stdin, stdout, stderr}
	if relay {
		arguments = append(arguments, "--relay=3")
		files = append(files, os.Stderr)
	}
	c.process, err = os.StartProcess(program, arguments, &os.ProcAttr{
		Files: files,
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		syscall.Close(pipe)
		said.Close()
		complaints.Close()
		return err
	}
	c.pipe, c.said, c.complaints = pipe, said, complaints
	go c.hear()
	go c.listen()
	return nil
}

// hear keeps what is said on standard error, also by the one that sends documents, which may take
// longer than the child.
func (c *child) hear() {
	defer c.complaints.Close()
	lines := bufio.NewScanner(c.complaints)
	for lines.Scan() {
		line := strings.TrimPrefix(lines.Text(), "gosnap: ")
		c.mutex.Lock()
		c.complaint = line
		c.mutex.Unlock()
		c.options.log("%s", line)
	}
}

// listen ends when the child does, which leaves no zombie then.
func (c *child) listen() {
	defer c.said.Close()
	lines := bufio.NewScanner(c.said)
	for lines.Scan() {
		select {
		case c.lines <- lines.Text():
		default:
		}
	}
	c.mutex.Lock()
	detached := c.detached
	c.mutex.Unlock()
	if !detached {
		_, _ = c.process.Wait()
	}
	close(c.lines)
}

// detach leaves the child to itself. A goroutine that waits for it would be one that is not asleep: the
// runtime would not notice a deadlock of all others.
func (c *child) detach() {
	c.mutex.Lock()
	c.detached = true
	c.mutex.Unlock()
	c.said.Close()
	c.complaints.Close()
}

// hasEnded is for a child that was detached.
func (c *child) hasEnded() bool {
	pid, err := syscall.Wait4(c.process.Pid, nil, syscall.WNOHANG, nil)
	return err != nil || pid == c.process.Pid
}

func (c *child) greet(arguments []string) error {
	limit := greetingLimit
	if c.options.Timeout < limit {
		limit = c.options.Timeout
	}
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

// write sends packets. The poller of the runtime is left out of it, and so are long timers: while it
// knows of any, even of those that were stopped, the runtime finds no deadlocks.
func (c *child) write(words []byte, timeout time.Duration) error {
	for end := time.Now().Add(timeout); len(words) > 0; {
		n := len(words)
		if n > packetMax {
			n = packetMax
		}
		switch n, err := syscall.Write(c.pipe, words[:n]); err {
		case nil:
			words = words[n:]
		case syscall.EINTR:
		case syscall.EAGAIN:
			if time.Now().After(end) {
				return ErrTimeout
			}
			time.Sleep(time.Millisecond)
		default:
			return err
		}
	}
	return nil
}

// line returns the next one that the child says.
func (c *child) line(timeout time.Duration) (string, error) {
	const step = 50 * time.Millisecond
	for end := time.Now().Add(timeout); time.Now().Before(end); {
		timer := time.NewTimer(step)
		select {
		case line, ok := <-c.lines:
			timer.Stop()
			if !ok {
				return "", c.failure(errors.New("it ended"))
			}
			return line, nil
		case <-timer.C:
		}
	}
	return "", ErrTimeout
}

// failure is why the child is of no use, in its own words if it said any.
func (c *child) failure(err error) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.complaint != "" {
		return errors.New("gosnap: " + c.complaint)
	}
	return fmt.Errorf("gosnap: %s: %v", c.options.Program, err)
}

func (c *child) closePipe() {
	if c.pipe >= 0 {
		syscall.Close(c.pipe)
	}
	c.pipe = -1
}

func (c *child) kill() {
	c.closePipe()
	// It leads a session, so a group, of its own.
	_ = syscall.Kill(-c.process.Pid, syscall.SIGKILL)
}

// take has a snapshot taken now.
func take(options *Options, r *request) (Snapshot, error) {
	c, err := startChild(options, r)
	if err != nil {
		return Snapshot{}, err
	}
	allowTracer(c.process.Pid)
	defer disallowTracer()
	if err := c.write([]byte{1}, options.Timeout); err != nil {
		c.kill()
		return Snapshot{}, c.failure(err)
	}
	c.closePipe()
	// The child gives up in time itself, unless somebody stopped it.
	line, err := c.line(options.Timeout + time.Second)
	if err != nil {
		c.kill()
		return Snapshot{}, err
	}
	if options.Logger == nil {
		c.complaints.Close()
	}
	return c.parse(line)
}

// parse reads "snapshot STATUS FILE" or "failed STATUS".
func (c *child) parse(line string) (Snapshot, error) {
	words := strings.SplitN(line, " ", 3)
	if len(words) == 3 && words[0] == "snapshot" && words[2] == c.path {
		status, err := strconv.Atoi(words[1])
		return Snapshot{Path: words[2], Status: status}, err
	}
	if len(words) == 2 && words[0] == "failed" {
		return Snapshot{}, c.failure(errors.New("exit status " + words[1]))
	}
	return Snapshot{}, c.failure(fmt.Errorf("it said %.80q", line))
}
