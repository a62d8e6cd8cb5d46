// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/ioutil"
	"math/rand"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A watcher of files: a goroutine reads events from inotify, and another one reloads what has changed, once it is
// quiet. Clients write the files, watch folders, and no longer watch them.

const (
	watcherFolders = 4
	watcherEvents  = 8 // room in the channel
	watcherHealthy = 200
	watcherQuiet   = 15 * time.Millisecond
)

type watcherEvent struct{ path string }

type watcher struct {
	mu      sync.Mutex
	fd      int
	file    *os.File // the same; none: read with system calls that block
	paths   map[int32]string
	folders map[string]int32
	events  chan watcherEvent
	done    chan struct{}
	ended   chan struct{}
	forward func(watcherEvent) bool
	seen    gauge
	// Of a sick one.
	closer  holder
	reader  holder
	removes gauge
	asks    gauge
	sending gauge
	writes  int32 // 1: nobody writes any more
}

func watcherNew(blocks bool, room int) *watcher {
	flags := syscall.IN_CLOEXEC | syscall.IN_NONBLOCK
	if blocks {
		flags = syscall.IN_CLOEXEC
	}
	fd, err := syscall.InotifyInit1(flags)
	if err != nil {
		panic(err)
	}
	w := &watcher{
		fd: fd, paths: map[int32]string{}, folders: map[string]int32{}, events: make(chan watcherEvent, room),
		done: make(chan struct{}), ended: make(chan struct{}),
	}
	if !blocks {
		w.file = os.NewFile(uintptr(fd), "inotify")
	}
	w.forward = w.pass
	return w
}

func (w *watcher) add(folder string) error {
	w.asks.begins()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asks.ends()
	watch, err := syscall.InotifyAddWatch(w.fd, folder, syscall.IN_CLOSE_WRITE|syscall.IN_CREATE|syscall.IN_DELETE)
	if err != nil {
		return err
	}
	w.paths[int32(watch)], w.folders[folder] = folder, int32(watch)
	return nil
}

//go:noinline
func (w *watcher) remove(folder string) error {
	w.removes.begins()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.removes.ends()
	watch, ok := w.folders[folder]
	if !ok {
		return nil
	}
	delete(w.folders, folder)
	delete(w.paths, watch)
	_, err := syscall.InotifyRmWatch(w.fd, uint32(watch))
	return err
}

func (w *watcher) list() []string {
	w.asks.begins()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asks.ends()
	var ret []string
	for folder := range w.folders {
		ret = append(ret, folder)
	}
	return ret
}

func (w *watcher) folder(watch int32) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.paths[watch]
}

// pass sends an event, unless the watcher is closed.
func (w *watcher) pass(e watcherEvent) bool {
	select {
	case w.events <- e:
		return true
	case <-w.done:
		return false
	}
}

// each calls f for each event that was read.
func (w *watcher) each(buf []byte, f func(watch int32, name string) bool) bool {
	for len(buf) >= syscall.SizeofInotifyEvent {
		watch := int32(binary.LittleEndian.Uint32(buf))
		end := syscall.SizeofInotifyEvent + int(binary.LittleEndian.Uint32(buf[12:]))
		name := string(bytes.TrimRight(buf[syscall.SizeofInotifyEvent:end], "\x00"))
		buf = buf[end:]
		if !f(watch, name) {
			return false
		}
	}
	return true
}

// loop reads events until the watcher is closed.
func (w *watcher) loop() {
	defer close(w.ended)
	buf := make([]byte, 4096)
	for {
		n, err := w.file.Read(buf)
		if err != nil {
			return
		}
		if !w.each(buf[:n], func(watch int32, name string) bool {
			return w.forward(watcherEvent{filepath.Join(w.folder(watch), name)})
		}) {
			return
		}
	}
}

func (w *watcher) close() {
	close(w.done)
	w.file.Close()
	<-w.ended
}

// A watcherDebouncer calls f for a path once no more events come.
type watcherDebouncer struct {
	mu     sync.Mutex
	timers map[string]*time.Timer
	f      func(path string)
}

func (d *watcherDebouncer) event(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t := d.timers[path]; t != nil {
		t.Reset(watcherQuiet)
		return
	}
	d.timers[path] = time.AfterFunc(watcherQuiet, func() {
		d.mu.Lock()
		delete(d.timers, path)
		d.mu.Unlock()
		d.f(path)
	})
}

// watcherFiles makes a folder, and returns the folders in it that are watched.
func watcherFiles() []string {
	// Beside the program, where nothing remains of it.
	top, err := ioutil.TempDir(filepath.Dir(os.Args[0]), "watched")
	if err != nil {
		panic(err)
	}
	var ret []string
	for i := 0; i < watcherFolders; i++ {
		folder := filepath.Join(top, fmt.Sprint(i))
		if err := os.Mkdir(folder, 0o700); err != nil {
			panic(err)
		}
		ret = append(ret, folder)
	}
	return ret
}

// reload is what is done with a file that has changed.
func (w *watcher) reload(path string) {
	ioutil.ReadFile(path)
	w.seen.begins()
}

// start has clients that write files, and others that ask for what is watched, and change it.
func (w *watcher) start(folders []string) {
	for _, folder := range folders {
		if err := w.add(folder); err != nil {
			panic(err)
		}
	}
	clients(6, 10*time.Millisecond, func(r *rand.Rand) {
		if atomic.LoadInt32(&w.writes) != 0 {
			return
		}
		path := filepath.Join(folders[r.Intn(len(folders))], fmt.Sprint("file", r.Intn(5)))
		if err := ioutil.WriteFile(path, []byte(path), 0o600); err != nil {
			panic(err)
		}
	})
	clients(10, 20*time.Millisecond, func(r *rand.Rand) {
		if r.Intn(3) != 0 {
			w.list()
			return
		}
		w.add(folders[r.Intn(len(folders))])
	})
}

// The same, with what people get wrong.

// sends does not look at whether the watcher is closed.
//
//go:noinline
func (w *watcher) sends(e watcherEvent) bool {
	w.sending.begins()
	w.events <- e
	w.sending.ends()
	return true
}

// closeLocked waits for the loop with the lock held.
//
//go:noinline
func (w *watcher) closeLocked() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closer.takes()
	w.folders = map[string]int32{}
	w.file.Close()
	<-w.ended
	w.closer.gives()
}

// reopen begins again after too many events, if the watcher could be closed.
func (w *watcher) reopen() {
	w.mu.Lock()
	defer w.mu.Unlock()
	again := watcherNew(false, 0)
	w.fd, w.file, w.ended = again.fd, again.file, again.ended
	go w.loop()
}

// loopLocked has the lock while it sends the events.
//
//go:noinline
func (w *watcher) loopLocked() {
	buf := make([]byte, 4096)
	for {
		n, err := w.file.Read(buf)
		if err != nil {
			return
		}
		w.dispatch(buf[:n])
	}
}

//go:noinline
func (w *watcher) dispatch(buf []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reader.takes()
	w.each(buf, func(watch int32, name string) bool {
		w.events <- watcherEvent{filepath.Join(w.paths[watch], name)}
		return true
	})
	w.reader.gives()
}

// readLocked has the lock while it reads. That may take as long as nobody writes.
//
//go:noinline
func (w *watcher) readLocked(buf []byte) (events []watcherEvent) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reader.takes()
	defer w.reader.gives()
	n, err := syscall.Read(w.fd, buf)
	if err != nil {
		return nil
	}
	w.each(buf[:n], func(watch int32, name string) bool {
		events = append(events, watcherEvent{filepath.Join(w.paths[watch], name)})
		return true
	})
	return events
}

// A watcherTimer is a watcherDebouncer with one timer, and a goroutine that waits for it.
type watcherTimer struct {
	mu      sync.Mutex
	timer   *time.Timer
	changed []string
	drains  holder
	waits   gauge
}

// event empties the channel of a timer that has fired. But what it sent was received already.
//
//go:noinline
func (q *watcherTimer) event(path string) {
	q.waits.begins()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waits.ends()
	q.changed = append(q.changed, path)
	if !q.timer.Stop() {
		q.drains.takes()
		<-q.timer.C
		q.drains.gives()
	}
	q.timer.Reset(watcherQuiet)
}

func (q *watcherTimer) waitsFor(f func(path string)) {
	for range q.timer.C {
		q.mu.Lock()
		changed := q.changed
		q.changed = nil
		q.mu.Unlock()
		for _, path := range changed {
			f(path)
		}
	}
}

func init() {
	services["watcher"] = service{
		healthy: func() {
			w := watcherNew(false, watcherEvents)
			d := &watcherDebouncer{timers: map[string]*time.Timer{}, f: w.reload}
			go func() {
				for e := range w.events {
					d.event(e.path)
				}
			}()
			go w.loop()
			w.start(watcherFiles())
			// Others come and go, each with a watcher of its own.
			clients(2, 200*time.Millisecond, func(r *rand.Rand) {
				w := watcherNew(false, watcherEvents)
				folder := watcherFiles()[0]
				w.add(folder)
				go w.loop()
				ioutil.WriteFile(filepath.Join(folder, "a"), []byte("a"), 0o600)
				<-w.events
				w.remove(folder)
				w.close()
				os.RemoveAll(filepath.Dir(folder))
			})
		},
		sick: map[string]func() sickness{
			// Nobody receives the events any more: who did closes the watcher.
			"close waits for the loop": func() sickness {
				w := watcherNew(false, watcherEvents)
				w.forward = w.sends
				go func() {
					for e := range w.events {
						if w.reload(e.path); w.seen.now() < watcherHealthy {
							continue
						}
						for len(w.events) < watcherEvents || w.sending.now() == 0 {
							time.Sleep(time.Millisecond)
						}
						w.closeLocked()
						w.reopen()
					}
				}()
				go w.loop()
				w.start(watcherFiles())
				return sickness{
					reached: still(func() bool { return w.closer.is() != 0 && w.asks.now() >= 10 }),
					findings: func() []finding {
						// The loop comes to its channel, or to the lock.
						return stillRing("main.(*watcher).closeLocked", "main.(*watcher).sends|main.(*watcher).folder", w.closer.is())
					},
				}
			},
			"lock held while it sends events": func() sickness {
				w := watcherNew(false, 0)
				go func() {
					for e := range w.events {
						w.reload(e.path)
						if w.seen.now() > watcherHealthy && w.seen.now()%7 == 0 {
							w.remove(filepath.Dir(e.path))
						}
					}
				}()
				go w.loopLocked()
				w.start(watcherFiles())
				return sickness{
					reached: still(func() bool { return w.removes.now() == 1 && w.reader.is() != 0 }),
					findings: func() []finding {
						return stillRing("main.(*watcher).dispatch", "main.(*watcher).remove", w.reader.is())
					},
				}
			},
			"lock held while it reads": func() sickness {
				w := watcherNew(true, watcherEvents)
				w.start(watcherFiles())
				go func() {
					buf := make([]byte, 4096)
					for {
						for _, e := range w.readLocked(buf) {
							w.reload(e.path)
						}
						time.Sleep(time.Millisecond)
					}
				}()
				go func() {
					for w.seen.now() < watcherHealthy {
						time.Sleep(time.Millisecond)
					}
					atomic.StoreInt32(&w.writes, 1)
				}()
				return sickness{
					reached: still(func() bool { return atomic.LoadInt32(&w.writes) != 0 && w.asks.now() == 10 && w.reader.is() != 0 }),
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"stuck_call"}, Names: []string{"main.(*watcher).readLocked"},
							Holders: []int64{w.reader.is()},
						}}
					},
				}
			},
			"timer drained twice": func() sickness {
				w := watcherNew(false, watcherEvents)
				q := &watcherTimer{timer: time.NewTimer(watcherQuiet)}
				go q.waitsFor(w.reload)
				for i := 0; i < 3; i++ {
					go func() {
						for e := range w.events {
							q.event(e.path)
						}
					}()
				}
				go w.loop()
				w.start(watcherFiles())
				return sickness{
					reached: still(func() bool { return q.drains.is() != 0 && q.waits.now() >= 2 }),
					findings: func() []finding {
						return []finding{
							{
								Kinds: []string{"lock_held"}, Names: []string{"main.(*watcherTimer).event"},
								Holders: []int64{q.drains.is()},
							},
							// The timer, which nobody sets again.
							{
								Kinds: []string{"leaked"}, Aside: true,
								Names: []string{"main.(*watcherTimer).waitsFor|main.(*watcherTimer).event"},
							},
						}
					},
				}
			},
		},
	}
}
