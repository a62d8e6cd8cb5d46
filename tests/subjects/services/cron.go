// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A cron: jobs that are due every so often, each in a goroutine of its own, so that they may overlap. Clients look
// at the last results, and change the jobs.

const (
	cronJobs    = 8
	cronClients = 10
	cronHealthy = 40 // jobs that are done before it becomes sick
)

var cronLate = errors.New("the job took too long")

type cronJob struct {
	name  string
	every time.Duration
	next  time.Time
	run   func(name string) error
}

type cron struct {
	mu      sync.Mutex
	jobs    []*cronJob
	results map[string]error
	running sync.WaitGroup
	changed chan struct{}
	done    gauge // jobs
	// Of a sick one.
	loader    holder
	recording gauge
	late      gauge
	same      sync.Mutex // what runs alone
	first     holder
	waiting   gauge
}

func cronNew(every time.Duration, run func(name string) error) *cron {
	c := &cron{results: map[string]error{}, changed: make(chan struct{}, 1)}
	c.load(every, run)
	return c
}

func (c *cron) load(every time.Duration, run func(name string) error) {
	c.jobs = nil
	for i := 0; i < cronJobs; i++ {
		c.jobs = append(c.jobs, &cronJob{
			fmt.Sprintf("job %d", i), every + time.Duration(i)*time.Millisecond, time.Now(), run,
		})
	}
}

// due starts what is due, and returns when the next one is.
func (c *cron) due(now time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := now.Add(time.Second)
	for _, j := range c.jobs {
		if !j.next.After(now) {
			j.next = now.Add(j.every)
			c.running.Add(1)
			go c.do(j)
		}
		if j.next.Before(next) {
			next = j.next
		}
	}
	return next
}

//go:noinline
func (c *cron) do(j *cronJob) {
	defer c.running.Done()
	c.record(j.name, j.run(j.name))
	c.done.begins()
	operation()
}

//go:noinline
func (c *cron) record(name string, result error) {
	c.recording.begins()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recording.ends()
	c.results[name] = result
}

func (c *cron) loop() {
	timer := time.NewTimer(0)
	for {
		select {
		case now := <-timer.C:
			timer.Reset(time.Until(c.due(now)))
		case <-c.changed:
			timer.Stop()
			timer = time.NewTimer(0)
		}
	}
}

// failed counts the jobs that failed.
func (c *cron) failed() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, err := range c.results {
		if err != nil {
			n++
		}
	}
	return n
}

// reload replaces the jobs once those that run have ended.
func (c *cron) reload(every time.Duration, run func(name string) error) {
	c.mu.Lock()
	for _, j := range c.jobs {
		j.next = time.Now().Add(time.Hour)
	}
	c.mu.Unlock()
	c.running.Wait()
	c.mu.Lock()
	c.load(every, run)
	c.mu.Unlock()
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// start has clients that look at results.
func (c *cron) start() {
	go c.loop()
	clients(cronClients, 10*time.Millisecond, func(*rand.Rand) { c.failed() })
}

// cronReport is a job: it asks a server. timeout: 0 if it waits for ever.
type cronReport struct {
	address string
	timeout time.Duration
	deaf    int32         // the server does not answer any more
	slow    time.Duration // how long it takes now and then
	asked   int64
}

func cronNewReport(timeout time.Duration) *cronReport {
	listener := listen()
	report := &cronReport{address: listener.Addr().String(), timeout: timeout}
	go accept(listener, report.answer)
	return report
}

func (p *cronReport) answer(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewReader(conn)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		n := atomic.AddInt64(&p.asked, 1)
		time.Sleep(2 * time.Millisecond)
		if p.slow != 0 && n%20 == 0 {
			time.Sleep(p.slow)
		}
		if atomic.LoadInt32(&p.deaf) == 0 {
			fmt.Fprint(conn, line)
		}
	}
}

//go:noinline
func (p *cronReport) run(name string) error {
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if p.timeout != 0 {
		conn.SetDeadline(time.Now().Add(p.timeout))
	}
	if _, err := fmt.Fprintln(conn, name); err != nil {
		return err
	}
	_, err = bufio.NewReader(conn).ReadString('\n')
	return err
}

// The same, with what people get wrong.

// reloadAtOnce has the lock while it waits for jobs, which need it to end.
//
//go:noinline
func (c *cron) reloadAtOnce(every time.Duration, run func(name string) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loader.takes()
	c.running.Wait()
	c.loader.gives()
	c.load(every, run)
}

// alone delays a job while the one before it runs, as cron.DelayIfStillRunning does.
//
//go:noinline
func (c *cron) alone(run func(name string) error) func(name string) error {
	return func(name string) error {
		c.waiting.begins()
		c.same.Lock()
		defer c.same.Unlock()
		c.waiting.ends()
		c.first.takes()
		defer c.first.gives()
		return run(name)
	}
}

// within gives a job up that takes too long. Then nobody receives its result.
//
//go:noinline
func (c *cron) within(limit time.Duration, run func(name string) error) func(name string) error {
	return func(name string) error {
		result := make(chan error)
		go func() { result <- run(name) }()
		select {
		case err := <-result:
			return err
		case <-time.After(limit):
			c.late.begins()
			return cronLate
		}
	}
}

func init() {
	services["cron"] = service{
		healthy: func() {
			p := cronNewReport(10 * time.Second)
			c := cronNew(40*time.Millisecond, p.run)
			c.start()
			go func() {
				for range time.Tick(100 * time.Millisecond) {
					c.reload(30*time.Millisecond, p.run)
				}
			}()
		},
		sick: map[string]func() sickness{
			"reload waits for jobs": func() sickness {
				p := cronNewReport(10 * time.Second)
				c := cronNew(40*time.Millisecond, p.run)
				c.start()
				go func() {
					for {
						time.Sleep(100 * time.Millisecond)
						if c.done.now() > cronHealthy {
							c.reloadAtOnce(30*time.Millisecond, p.run)
						}
					}
				}()
				return sickness{
					reached: still(func() bool { return c.loader.is() != 0 && c.recording.now() > 0 }),
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"wait_cycle"}, Names: []string{"main.(*cron).reloadAtOnce", "main.(*cron).record"},
							Holders: []int64{c.loader.is()},
						}}
					},
				}
			},
			"one job at a time, and it hangs": func() sickness {
				p := cronNewReport(0)
				c := cronNew(250*time.Millisecond, nil)
				c.load(250*time.Millisecond, c.alone(p.run))
				c.start()
				go func() {
					for c.done.now() < cronHealthy {
						time.Sleep(time.Millisecond)
					}
					atomic.StoreInt32(&p.deaf, 1)
				}()
				return sickness{
					reached: still(func() bool { return atomic.LoadInt32(&p.deaf) != 0 && c.waiting.now() > cronJobs }),
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"lock_held"}, Names: []string{"main.(*cronReport).run", "main.(*cron).alone.func1"},
							Holders: []int64{c.first.is()},
						}}
					},
				}
			},
			"results nobody receives": func() sickness {
				p := cronNewReport(10 * time.Second)
				p.slow = 200 * time.Millisecond
				c := cronNew(40*time.Millisecond, nil)
				c.load(40*time.Millisecond, c.within(100*time.Millisecond, p.run))
				c.start()
				return sickness{
					reached: func() bool { return c.late.now() > 20 },
					findings: func() []finding {
						return []finding{{Kinds: []string{"leaked"}, Names: []string{"main.(*cron).within.func1"}}}
					},
				}
			},
		},
	}
}
