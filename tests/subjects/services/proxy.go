// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// A reverse proxy, and the server behind it.

const (
	proxyClients     = 24
	proxyConnections = 8
	proxyUsers       = 60
	proxyHealthy     = 300 // requests until it becomes sick
)

// A proxyReport is asked for by a handler of the server, and made by a goroutine of its own.
type proxyReport struct {
	number int
	done   chan string
}

// The server behind the proxy.
type proxyUpstream struct {
	reports chan proxyReport
	asked   gauge
	stuck   gauge
	fails   int64 // the reporter ends after so many reports
	silent  int32 // does not answer checks
}

func (u *proxyUpstream) reporter() {
	for r := range u.reports {
		time.Sleep(time.Millisecond)
		if u.fails != 0 && int64(r.number) > u.fails {
			return // as after an error
		}
		r.done <- fmt.Sprintf("report %d", r.number)
	}
}

func (u *proxyUpstream) page(w http.ResponseWriter, r *http.Request) {
	time.Sleep(time.Millisecond)
	io.WriteString(w, "a page\n")
}

//go:noinline
func (u *proxyUpstream) report(w http.ResponseWriter, r *http.Request) {
	u.asked.begins()
	report := proxyReport{int(u.asked.now()), make(chan string, 1)}
	u.stuck.begins()
	u.reports <- report
	io.WriteString(w, <-report.done)
	u.stuck.ends()
}

// login says whether a user may go on. Nobody needs more than the status.
func (u *proxyUpstream) login(w http.ResponseWriter, r *http.Request) {
	io.WriteString(w, "the user is known\n")
}

func (u *proxyUpstream) check(w http.ResponseWriter, r *http.Request) {
	if atomic.LoadInt32(&u.silent) != 0 {
		<-r.Context().Done()
		return
	}
	io.WriteString(w, "ok\n")
}

func (u *proxyUpstream) serve() string {
	u.reports = make(chan proxyReport)
	go u.reporter()
	mux := http.NewServeMux()
	mux.HandleFunc("/page", u.page)
	mux.HandleFunc("/report", u.report)
	mux.HandleFunc("/login", u.login)
	mux.HandleFunc("/check", u.check)
	return serve(mux)
}

type proxy struct {
	upstream proxyUpstream
	behind   string
	forwards http.Handler
	client   *http.Client // asks the server on behalf of the proxy
	known    sync.Map     // users
	admits   func(user string) error
	under    gauge // requests under way

	mu      sync.Mutex // of the balancer
	healthy bool
	checked time.Time
	checker holder
	leaked  gauge
	picking gauge
}

func proxyNew(connections int, timeout time.Duration) *proxy {
	p := &proxy{healthy: true}
	p.behind = p.upstream.serve()
	target, err := url.Parse(p.behind)
	if err != nil {
		panic(err)
	}
	forwards := httputil.NewSingleHostReverseProxy(target)
	forwards.Transport = &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		MaxConnsPerHost:       connections,
		MaxIdleConnsPerHost:   connections,
		ResponseHeaderTimeout: timeout,
	}
	forwards.ErrorLog = log.New(io.Discard, "", 0)
	p.forwards = forwards
	p.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	p.admits = p.admit
	return p
}

func (p *proxy) admit(user string) error {
	if _, ok := p.known.Load(user); ok {
		return nil
	}
	answer, err := p.client.Get(p.behind + "/login?user=" + user)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return errors.New("unknown user")
	}
	p.known.Store(user, true)
	return nil
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.under.begins()
	defer p.under.ends()
	if err := p.admits(r.Header.Get("X-User")); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	p.forwards.ServeHTTP(w, r)
}

// start has clients that are patient.
func (p *proxy) start(paths ...string) {
	base := serve(p)
	browsers := browser(proxyClients, 0)
	clients(proxyClients, 50*time.Millisecond, func(r *rand.Rand) {
		request, err := http.NewRequestWithContext(context.Background(), "GET", base+paths[r.Intn(len(paths))], nil)
		if err != nil {
			panic(err)
		}
		// New users come when the service has been at work.
		users := 4
		if atomic.LoadInt64(&operations) > proxyHealthy {
			users = proxyUsers
		}
		request.Header.Set("X-User", fmt.Sprint("user", r.Intn(users)))
		answer, err := browsers.Do(request)
		if err != nil {
			return
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	})
}

// The same, with what people get wrong.

// admitByStatus never closes the body.
//
//go:noinline
func (p *proxy) admitByStatus(user string) error {
	if _, ok := p.known.Load(user); ok {
		return nil
	}
	answer, err := p.client.Get(p.behind + "/login?user=" + user)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return errors.New("unknown user")
	}
	p.known.Store(user, true)
	p.leaked.begins()
	return nil
}

// pick checks the server now and then, with the lock held and without a timeout.
//
//go:noinline
func (p *proxy) pick() bool {
	p.picking.begins()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.picking.ends()
	if time.Since(p.checked) > 50*time.Millisecond {
		p.checker.takes()
		answer, err := p.client.Get(p.behind + "/check")
		p.checker.gives()
		if p.healthy = err == nil; p.healthy {
			io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
		p.checked = time.Now()
	}
	return p.healthy
}

//go:noinline
func (p *proxy) admitIfHealthy(string) error {
	if !p.pick() {
		return errors.New("no server is healthy")
	}
	return nil
}

func init() {
	services["proxy"] = service{
		healthy: func() { proxyNew(proxyConnections, 10*time.Second).start("/page", "/page", "/report") },
		sick: map[string]func() sickness{
			"the server never answers": func() sickness {
				p := proxyNew(proxyConnections, 0)
				p.upstream.fails = proxyHealthy / 2
				p.start("/page", "/page", "/report")
				return sickness{
					reached: still(func() bool {
						return p.upstream.stuck.now() == proxyConnections && p.under.now() == proxyClients
					}),
					findings: func() []finding {
						return []finding{
							{Kinds: []string{"pool_exhausted"}, Names: []string{"main.(*proxy).ServeHTTP"}},
							// Its report was being made.
							{Kinds: []string{"leaked"}, Names: []string{"main.(*proxyUpstream).report"}, Aside: true},
						}
					},
				}
			},
			"bodies not closed": func() sickness {
				p := proxyNew(proxyConnections, 10*time.Second)
				p.admits = p.admitByStatus
				p.start("/page")
				return sickness{
					reached: func() bool { return p.leaked.now() > proxyUsers/2 },
					findings: func() []finding {
						return []finding{{Kinds: []string{"leaked"}, Names: []string{"net/http.(*persistConn).readLoop"}}}
					},
				}
			},
			"bodies not closed, and few connections": func() sickness {
				p := proxyNew(proxyConnections, 10*time.Second)
				p.client.Transport.(*http.Transport).MaxConnsPerHost = proxyConnections
				p.admits = p.admitByStatus
				p.start("/page")
				return sickness{
					reached: still(func() bool { return p.leaked.now() == proxyConnections && p.under.now() == proxyClients }),
					findings: func() []finding {
						return []finding{
							{Kinds: []string{"pool_exhausted"}, Names: []string{"main.(*proxy).admitByStatus"}},
							{Kinds: []string{"leaked"}, Names: []string{"net/http.(*persistConn).readLoop"}, Aside: true},
						}
					},
				}
			},
			"lock held while it checks the server": func() sickness {
				p := proxyNew(proxyConnections, 10*time.Second)
				p.admits = p.admitIfHealthy
				p.start("/page", "/page", "/report")
				go func() {
					for atomic.LoadInt64(&operations) < proxyHealthy {
						time.Sleep(time.Millisecond)
					}
					atomic.StoreInt32(&p.upstream.silent, 1)
				}()
				return sickness{
					reached: still(func() bool {
						return atomic.LoadInt32(&p.upstream.silent) != 0 && p.picking.now() == proxyClients-1 && p.checker.is() != 0
					}),
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"lock_held"}, Names: []string{"main.(*proxy).pick"}, Holders: []int64{p.checker.is()},
						}}
					},
				}
			},
		},
	}
}
