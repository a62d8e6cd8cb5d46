// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"subjects/truth"
	"sync"
	"sync/atomic"
	"unsafe"
)

//go:noinline
func (s *spot) down1() { s.down2(); s.steps++ }

//go:noinline
func (s *spot) down2() { s.down3(); s.steps++ }

//go:noinline
func (s *spot) down3() { s.down4(); s.steps++ }

//go:noinline
func (s *spot) down4() { s.mu.Unlock(); s.steps++ }

//go:noinline
func (s *spot) up1() { s.up2(); s.steps++ }

//go:noinline
func (s *spot) up2() { s.up3(); s.steps++ }

//go:noinline
func (s *spot) up3() { s.up4(); s.steps++ }

//go:noinline
func (s *spot) up4() { s.mu.Lock(); s.steps++ }

// upAndDown leaves the lock as it is.
//
//go:noinline
func (s *spot) upAndDown() {
	s.up1()
	s.steps++
	s.down1()
}

//go:noinline
func downBy(mu *sync.Mutex, calls int) int {
	if calls > 0 {
		return downBy(mu, calls-1) + 1
	}
	mu.Unlock()
	return 0
}

//go:noinline
func upBy(mu *sync.Mutex, calls int) int {
	if calls > 0 {
		return upBy(mu, calls-1) + 1
	}
	mu.Lock()
	return 0
}

//go:noinline
func (s *spot) downDeferred1() { s.downDeferred2(); s.steps++ }

//go:noinline
func (s *spot) downDeferred2() { s.downDeferred3(); s.steps++ }

//go:noinline
func (s *spot) downDeferred3() {
	defer s.mu.Unlock()
	s.steps++
}

// notMine says that the caller, which stands still elsewhere, has not got the lock.
//
//go:noinline
func (s *spot) notMine() { s.not = append(s.not, truth.Goid()) }

//go:noinline
func (s *spot) locker() sync.Locker { return &s.mu }

//go:noinline
func (s *spot) undo() func() { return s.mu.Unlock }

//go:noinline
func (s *spot) redo() func() { return s.mu.Lock }

//go:noinline
func (s *spot) nothing() func() { return func() { s.steps++ } }

// parker has a method that gives a lock up and one that takes it again.
type parker interface {
	park()
	unpark()
}

type spotParker struct {
	s     *spot
	parks int
}

//go:noinline
func (p *spotParker) park() { p.parks++; p.s.mu.Unlock() }

//go:noinline
func (p *spotParker) unpark() { p.parks--; p.s.mu.Lock() }

type noParker struct{ parks int }

//go:noinline
func (p *noParker) park() { p.parks++ }

//go:noinline
func (p *noParker) unpark() { p.parks-- }

//go:noinline
func (s *spot) parker() parker { return &spotParker{s: s} }

//go:noinline
func (s *spot) idle() parker { return &noParker{} }

// hidden are locks that are given up in code that is far from the frames, or not theirs.
func hidden() {
	deeply()
	indirectly()
	byOthers()
	changed()
	inServices()
}

// deeply are locks that calls give up which have returned.
func deeply() {
	given("given up four calls deep", func(s *spot) {
		s.mu.Lock()
		s.down1()
		s.gave()
		s.up1()
		s.mu.Unlock()
	})
	given("given up four calls deep, deferred", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.down1()
		s.gave()
		s.up1()
	})
	given("given up four calls deep, by an inner frame", func(s *spot) {
		whole(s, func(s *spot) {
			s.down1()
			s.gave()
			s.up1()
		})
	})
	given("given up four calls deep, deferred there", func(s *spot) {
		s.mu.Lock()
		s.downDeferred1()
		s.gave()
		s.up1()
		s.mu.Unlock()
	})
	given("given up by a recursion", func(s *spot) {
		s.mu.Lock()
		downBy(&s.mu, 4)
		s.gave()
		upBy(&s.mu, 4)
		s.mu.Unlock()
	})
	given("given up four calls deep, then in a loop", func(s *spot) {
		for i := 0; i < 3; i++ {
			s.mu.Lock()
			s.down1()
			if i == 1 {
				s.gave()
			}
			s.up1()
			s.mu.Unlock()
		}
	})
	given("given up four calls deep, as another is taken", func(s *spot) {
		o := new(spot)
		s.mu.Lock()
		o.up1()
		s.down1()
		s.gave()
		s.up1()
		o.down1()
		s.mu.Unlock()
	})
	given("given up four calls deep before another is taken", func(s *spot) {
		o := new(spot)
		s.mu.Lock()
		s.down1()
		o.up1()
		s.gave()
		o.down1()
		s.up1()
		s.mu.Unlock()
	})
	mutex("given up and taken again four calls deep", func(s *spot) {
		s.mu.Lock()
		s.down1()
		s.up1()
		s.here()
		s.mu.Unlock()
	})
	mutex("beside another that is taken and given up four calls deep", func(s *spot) {
		o := new(spot)
		s.mu.Lock()
		o.up1()
		o.down1()
		s.here()
		o.up1()
		o.down1()
		s.mu.Unlock()
	})
	mutex("beside another that is taken and given up further in", func(s *spot) {
		o := new(spot)
		s.mu.Lock()
		defer s.mu.Unlock()
		o.upAndDown()
		s.here()
		o.upAndDown()
	})
}

// indirectly are locks that are given up through what a call returned.
func indirectly() {
	given("given up through an interface that a call returned", func(s *spot) {
		s.mu.Lock()
		s.locker().Unlock()
		s.gave()
		s.locker().Lock()
		s.mu.Unlock()
	})
	given("given up through a function that a call returned", func(s *spot) {
		s.mu.Lock()
		s.undo()()
		s.gave()
		s.redo()()
		s.mu.Unlock()
	})
	given("given up through a function that a call returned, deferred", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.undo()()
		s.gave()
		s.redo()()
	})
	given("given up through a method of an interface", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.parker().park()
		s.gave()
		s.parker().unpark()
	})
	given("given up through a function, by an inner frame", func(s *spot) {
		whole(s, func(s *spot) {
			s.undo()()
			s.gave()
			s.redo()()
		})
	})
	given("given up by what locked it", func(s *spot) {
		release := s.acquire()
		release()
		s.gave()
		release = s.acquire()
		release()
	})
	mutex("functions called that calls return", func(s *spot) {
		s.mu.Lock()
		s.nothing()()
		s.here()
		s.nothing()()
		s.mu.Unlock()
	})
	mutex("functions called that calls return, deferred", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.nothing()()
		s.here()
		s.nothing()()
	})
	mutex("a function called before that a call returns", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.nothing()()
		s.here()
	})
	mutex("a function called later that a call returns", func(s *spot) {
		s.mu.Lock()
		s.here()
		s.nothing()()
		s.mu.Unlock()
	})
	mutex("methods called of interfaces that calls return", func(s *spot) {
		s.mu.Lock()
		s.idle().park()
		s.here()
		s.idle().unpark()
		s.mu.Unlock()
	})
	mutex("methods called of interfaces by an inner frame", func(s *spot) {
		whole(s, func(s *spot) {
			s.idle().park()
			s.here()
			s.idle().unpark()
		})
	})
	mutex("methods called of an interface that is kept", func(s *spot) {
		p := s.idle()
		s.mu.Lock()
		p.park()
		s.here()
		p.unpark()
		s.mu.Unlock()
	})
}

// byOthers are locks that another goroutine gives up.
func byOthers() {
	given("unlocked by a child that ended", func(s *spot) {
		done := make(chan bool)
		s.mu.Lock()
		go func() {
			s.mu.Unlock()
			close(done)
		}()
		<-done
		s.gave()
	})
	given("unlocked by a child that ended, deferred", func(s *spot) {
		done := make(chan bool)
		s.mu.Lock()
		go func() {
			defer close(done)
			defer s.mu.Unlock()
			s.steps++
		}()
		<-done
		s.gave()
	})
	given("unlocked by a child, or else later", func(s *spot) {
		done := make(chan bool)
		s.mu.Lock()
		go func() {
			s.mu.Unlock()
			close(done)
		}()
		<-done
		s.gave()
		if s.extra != nil {
			s.mu.Unlock()
		}
	})
	given("given up by a child", func(s *spot) {
		done := make(chan bool)
		s.mu.Lock()
		s.notMine()
		go func() {
			s.mu.Unlock()
			s.gave()
			s.mu.Lock()
			close(done)
		}()
		<-done
		s.mu.Unlock()
	})
	given("given up by a child, deferred", func(s *spot) {
		done := make(chan bool)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.notMine()
		go func() {
			without(&s.mu, s.gave)
			close(done)
		}()
		<-done
	})
	given("given up by a goroutine that is told to", func(s *spot) {
		tell, done := make(chan bool), make(chan bool)
		go func() {
			<-tell
			s.mu.Unlock()
			s.gave()
			s.mu.Lock()
			close(done)
		}()
		s.mu.Lock()
		s.notMine()
		tell <- true
		<-done
		s.mu.Unlock()
	})
	mutex("to be unlocked by a child", func(s *spot) {
		done := make(chan bool)
		s.mu.Lock()
		s.also = append(s.also, truth.Goid())
		go func() {
			s.passed()
			s.mu.Unlock()
			close(done)
		}()
		<-done
	})
	mutex("with children that lock it, too", func(s *spot) {
		done := make(chan bool)
		s.mu.Lock()
		go func() {
			<-never
			s.mu.Lock()
			s.mu.Unlock()
			close(done)
		}()
		s.here()
		s.mu.Unlock()
	})
}

// guarded has a lock that may be replaced.
type guarded struct {
	mu   *sync.Mutex
	next *sync.Mutex
	n    int
}

//go:noinline
func (g *guarded) set(mu *sync.Mutex) { g.mu = mu }

//go:noinline
func (g *guarded) setNext(mu *sync.Mutex) { g.next = mu }

//go:noinline
func (g *guarded) setDeeper(mu *sync.Mutex) { g.set(mu); g.n++ }

//go:noinline
func (g *guarded) setDeepest(mu *sync.Mutex) int { return g.setLater(mu, 2) }

//go:noinline
func (g *guarded) setLater(mu *sync.Mutex, calls int) int {
	if calls > 0 {
		return g.setLater(mu, calls-1) + 1
	}
	g.set(mu)
	return 0
}

// setSlowly does much more than that.
//
//go:noinline
func (g *guarded) setSlowly(mu *sync.Mutex, names []string) int {
	counts, sum := map[string]int{}, 0
	for i, name := range names {
		counts[name] += i
		if counts[name] > 7 {
			sum += len(fmt.Sprint(name, i, counts[name]))
		}
	}
	for i := range names {
		names[len(names)-1-i] = names[i] + fmt.Sprintf("%d-%s", i, names[i])
	}
	g.mu = mu
	for name, n := range counts {
		sum += n * len(strings.ToUpper(name))
	}
	g.n += sum
	return sum
}

func (g *guarded) swap(mu *sync.Mutex) {
	atomic.SwapPointer((*unsafe.Pointer)(unsafe.Pointer(&g.mu)), unsafe.Pointer(mu))
}

//go:noinline
func exchange(locks []*sync.Mutex) { locks[0], locks[1] = locks[1], locks[0] }

//go:noinline
func point(at **sync.Mutex, to *sync.Mutex) { *at = to }

// replaced makes two scenes of a lock that run has not got, as given does.
func replaced(name string, run func(g *guarded, first, second *sync.Mutex, s *spot)) {
	for _, by := range []struct {
		name  string
		holds func(mu *sync.Mutex, s *spot)
	}{{"another", func(mu *sync.Mutex, s *spot) {
		mu.Lock()
		s.here()
		mu.Unlock()
	}}, {"nobody", func(mu *sync.Mutex, s *spot) {
		mu.Lock()
		s.gone()
	}}} {
		holds := by.holds
		first, second := new(sync.Mutex), new(sync.Mutex)
		s := &spot{name: name + ", held by " + by.name, held: make(chan bool), lock: second, waiters: []sync.Locker{second}}
		s.begin(func(s *spot) { run(&guarded{mu: first}, first, second, s) },
			[]func(*spot){func(s *spot) { holds(second, s) }})
	}
}

// changed are locks that are no longer where they were when they were locked.
func changed() {
	replaced("replaced by a call", func(g *guarded, first, second *sync.Mutex, s *spot) {
		g.mu.Lock()
		g.set(second)
		s.gave()
		g.set(first)
		g.mu.Unlock()
	})
	replaced("replaced by a call, deferred in a closure", func(g *guarded, first, second *sync.Mutex, s *spot) {
		g.mu.Lock()
		defer func() {
			g.set(first)
			g.mu.Unlock()
		}()
		g.set(second)
		s.gave()
	})
	replaced("replaced two calls deep", func(g *guarded, first, second *sync.Mutex, s *spot) {
		g.mu.Lock()
		g.setDeeper(second)
		s.gave()
		g.setDeeper(first)
		g.mu.Unlock()
	})
	replaced("replaced in the function itself", func(g *guarded, first, second *sync.Mutex, s *spot) {
		g.mu.Lock()
		g.mu = second
		s.gave()
		g.mu = first
		g.mu.Unlock()
	})
	replaced("replaced by a closure", func(g *guarded, first, second *sync.Mutex, s *spot) {
		mu := first
		replace := func(by *sync.Mutex) { mu = by; s.steps++ }
		mu.Lock()
		replace(second)
		s.gave()
		replace(first)
		mu.Unlock()
	})
	replaced("replaced four calls deep", func(g *guarded, first, second *sync.Mutex, s *spot) {
		g.mu.Lock()
		g.setDeepest(second)
		s.gave()
		g.setDeepest(first)
		g.mu.Unlock()
	})
	replaced("replaced by a large function", func(g *guarded, first, second *sync.Mutex, s *spot) {
		g.mu.Lock()
		g.setSlowly(second, []string{"a", "b"})
		s.gave()
		g.setSlowly(first, []string{"a", "b"})
		g.mu.Unlock()
	})
	replaced("replaced at once", func(g *guarded, first, second *sync.Mutex, s *spot) {
		g.mu.Lock()
		g.swap(second)
		s.gave()
		g.swap(first)
		g.mu.Unlock()
	})
	replaced("replaced in another's field", func(g *guarded, first, second *sync.Mutex, s *spot) {
		owner := &struct{ of *guarded }{g}
		owner.of.mu.Lock()
		owner.of.set(second)
		s.gave()
		owner.of.set(first)
		owner.of.mu.Unlock()
	})
	replaced("exchanged in a slice", func(g *guarded, first, second *sync.Mutex, s *spot) {
		locks := []*sync.Mutex{first, second}
		locks[0].Lock()
		exchange(locks)
		s.gave()
		exchange(locks)
		locks[0].Unlock()
	})
	replaced("replaced through a pointer to the pointer", func(g *guarded, first, second *sync.Mutex, s *spot) {
		g.mu.Lock()
		point(&g.mu, second)
		s.gave()
		point(&g.mu, first)
		g.mu.Unlock()
	})
	set := new(sync.Mutex)
	other("replaced before it is locked", set, set, func(s *spot) {
		g := &guarded{mu: new(sync.Mutex)}
		g.set(set)
		g.mu.Lock()
		s.here()
		g.mu.Unlock()
	})
	kept := new(sync.Mutex)
	other("another one replaced", kept, kept, func(s *spot) {
		g := &guarded{mu: kept}
		g.mu.Lock()
		g.setNext(new(sync.Mutex))
		s.here()
		g.mu.Unlock()
	})
}

// service has its lock as an interface, and what it does then as functions.
type service struct {
	lock           sync.Locker
	release, again func()
	n              int
}

//go:noinline
func (v *service) pause() { v.n++; v.lock.Unlock() }

//go:noinline
func (v *service) resume() { v.lock.Lock(); v.n++ }

//go:noinline
func (v *service) pauseByFunction() { v.n++; v.release() }

//go:noinline
func (v *service) resumeByFunction() { v.again(); v.n++ }

//go:noinline
func (s *spot) readDown(calls int) int {
	if calls > 0 {
		return s.readDown(calls-1) + 1
	}
	s.rw.RUnlock()
	return 0
}

//go:noinline
func (s *spot) readUp(calls int) int {
	if calls > 0 {
		return s.readUp(calls-1) + 1
	}
	s.rw.RLock()
	return 0
}

//go:noinline
func (s *spot) downByPanic() {
	defer func() {
		recover()
		s.mu.Unlock()
	}()
	breaks()
}

//go:noinline
func (s *spot) upByPanic() {
	defer func() {
		recover()
		s.mu.Lock()
	}()
	panic(errNever)
}

//go:noinline
func embeddedDown(l sync.Locker) { unlockIt(l) }

//go:noinline
func embeddedUp(l sync.Locker) { lockIt(l) }

//go:noinline
func unlockIt(l sync.Locker) { l.Unlock() }

//go:noinline
func lockIt(l sync.Locker) { l.Lock() }

// stays stands still without the lock. In some programs nothing tells the caller from one that has it: it is wrong to
// call it the holder, but only certain is an error.
//
//go:noinline
func (s *spot) stays() {
	s.held <- true
	<-never
}

// inServices are locks that methods of a type give up.
func inServices() {
	given("given up by methods with a sync.Locker", func(s *spot) {
		v := &service{lock: &s.mu}
		v.lock.Lock()
		v.pause()
		s.gave()
		v.resume()
		v.lock.Unlock()
	})
	given("given up by methods with a sync.Locker, deferred", func(s *spot) {
		v := &service{lock: &s.mu}
		s.mu.Lock()
		defer s.mu.Unlock()
		v.pause()
		s.gave()
		v.resume()
	})
	given("given up by functions in fields", func(s *spot) {
		v := &service{release: s.mu.Unlock, again: s.mu.Lock}
		s.mu.Lock()
		defer s.mu.Unlock()
		v.pauseByFunction()
		s.stays()
		v.resumeByFunction()
	})
	given("given up by methods, by an inner frame", func(s *spot) {
		v := &service{lock: &s.mu}
		whole(s, func(s *spot) {
			v.pause()
			s.gave()
			v.resume()
		})
	})
	given("unlocked by a method as a goroutine", func(s *spot) {
		s.mu.Lock()
		go s.down1()
		s.mu.Lock() // Not before the other has unlocked it.
		s.down1()
		s.gave()
	})
	mutex("with functions in fields that do something else", func(s *spot) {
		v := &service{release: s.nothing(), again: s.nothing()}
		s.mu.Lock()
		defer s.mu.Unlock()
		v.pauseByFunction()
		s.here()
		v.resumeByFunction()
	})
	given("given up as a panic is recovered", func(s *spot) {
		s.mu.Lock()
		s.downByPanic()
		s.gave()
		s.upByPanic()
		s.mu.Unlock()
	})
	given("given up as an embedded pointer", func(s *spot) {
		p := &embedsPointer{&s.mu, 1}
		s.mu.Lock()
		defer s.mu.Unlock()
		embeddedDown(p)
		s.stays()
		embeddedUp(p)
	})
	rwmutex("read, given up four calls deep, written by another", reader, func(s *spot) {
		s.rw.RLock()
		defer s.rw.RUnlock()
		s.readDown(3)
		s.gave()
		s.readUp(3)
	}, func(s *spot) {
		s.rw.Lock()
		s.here()
		s.rw.Unlock()
	})
	rwmutex("read, given up four calls deep, read by another", writer, func(s *spot) {
		s.rw.RLock()
		defer s.rw.RUnlock()
		s.readDown(3)
		s.gave()
		s.readUp(3)
	}, func(s *spot) {
		s.rw.RLock()
		s.here()
		s.rw.RUnlock()
	})
}
