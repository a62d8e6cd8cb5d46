// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A bank: handlers that use a database by way of a pool of connections.

const (
	bankConnections = 6
	bankClients     = 16
	bankAccounts    = 50
)

// The database: a server that answers each line with a number of rows. A connection is one of TCP.

type bankDatabase struct {
	deaf int32 // does not answer to "refresh" any more
}

func (d *bankDatabase) session(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewReader(conn)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		if atomic.LoadInt32(&d.deaf) != 0 && strings.HasPrefix(line, "refresh") {
			continue
		}
		time.Sleep(time.Millisecond)
		if _, err := fmt.Fprintln(conn, len(line)%7+1); err != nil {
			return
		}
	}
}

type bankDriver struct{ address string }

func (d *bankDriver) Open(string) (driver.Conn, error) {
	conn, err := net.Dial("tcp", d.address)
	if err != nil {
		return nil, err
	}
	return &bankConn{conn, bufio.NewReader(conn)}, nil
}

type bankConn struct {
	conn  net.Conn
	lines *bufio.Reader
}

func (c *bankConn) asks(ctx context.Context, query string) (rows int, err error) {
	// No deadline: the zero time.
	deadline, _ := ctx.Deadline()
	c.conn.SetDeadline(deadline)
	if _, err = fmt.Fprintln(c.conn, query); err != nil {
		return 0, driver.ErrBadConn
	}
	if _, err = fmt.Fscanln(c.lines, &rows); err != nil {
		return 0, err
	}
	return rows, nil
}

func (c *bankConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("no statements") }
func (c *bankConn) Close() error                        { return c.conn.Close() }
func (c *bankConn) Begin() (driver.Tx, error)           { return c, nil }

func (c *bankConn) QueryContext(ctx context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	n, err := c.asks(ctx, query)
	return &bankRows{n}, err
}

func (c *bankConn) ExecContext(ctx context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	n, err := c.asks(ctx, query)
	return driver.RowsAffected(n), err
}

func (c *bankConn) Commit() error {
	_, err := c.asks(context.Background(), "commit")
	return err
}

func (c *bankConn) Rollback() error {
	_, err := c.asks(context.Background(), "rollback")
	return err
}

type bankRows struct{ left int }

func (r *bankRows) Columns() []string { return []string{"amount"} }
func (r *bankRows) Close() error      { return nil }
func (r *bankRows) Next(to []driver.Value) error {
	if r.left == 0 {
		return io.EOF
	}
	to[0] = int64(r.left)
	r.left--
	return nil
}

// What is served.

type bank struct {
	db       *sql.DB
	database bankDatabase
	mu       sync.Mutex
	booked   map[string]int64 // amounts by account
	// Of a sick one.
	leaked    gauge
	waiting   gauge
	auditor   holder
	missing   int64 // refreshes until the database is deaf
	transfers gauge // those that have a connection and go for the lock
}

func newBank() *bank {
	b := &bank{booked: map[string]int64{}}
	listener := listen()
	go accept(listener, b.database.session)
	sql.Register("bank", &bankDriver{listener.Addr().String()})
	db, err := sql.Open("bank", "")
	if err != nil {
		panic(err)
	}
	db.SetMaxOpenConns(bankConnections)
	db.SetMaxIdleConns(bankConnections / 2)
	db.SetConnMaxLifetime(time.Second)
	b.db = db
	return b
}

// balance sums the rows of an account.
//
//go:noinline
func (b *bank) balance(ctx context.Context, account string) (sum int64, err error) {
	rows, err := b.db.QueryContext(ctx, "balance "+account)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var amount int64
		if err := rows.Scan(&amount); err != nil {
			return 0, err
		}
		sum += amount
	}
	return sum, rows.Err()
}

// transfer books in a transaction, and notes it once that is done.
//
//go:noinline
func (b *bank) transfer(ctx context.Context, from, to string, amount int64) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, account := range []string{from, to} {
		if _, err := tx.ExecContext(ctx, "update "+account); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.booked[from] -= amount
	b.booked[to] += amount
	return nil
}

// audit writes down what was booked since the last time.
//
//go:noinline
func (b *bank) audit(ctx context.Context) error {
	b.mu.Lock()
	booked := b.booked
	b.booked = map[string]int64{}
	b.mu.Unlock()
	_, err := b.db.ExecContext(ctx, fmt.Sprintf("audit %d", len(booked)))
	return err
}

// The same, with what people get wrong.

// balanceUnlessBlocked returns early without closing the rows.
//
//go:noinline
func (b *bank) balanceUnlessBlocked(account string) (sum int64, err error) {
	b.waiting.begins()
	rows, err := b.db.QueryContext(context.Background(), "balance "+account)
	b.waiting.ends()
	if err != nil {
		return 0, err
	}
	for rows.Next() {
		var amount int64
		if err := rows.Scan(&amount); err != nil {
			return 0, err
		}
		if strings.HasSuffix(account, "7") {
			b.leaked.begins()
			return 0, errors.New("the account is blocked")
		}
		sum += amount
	}
	rows.Close()
	return sum, rows.Err()
}

// transferUnlessBlocked returns early without ending the transaction.
//
//go:noinline
func (b *bank) transferUnlessBlocked(from string) error {
	b.waiting.begins()
	tx, err := b.db.Begin()
	b.waiting.ends()
	if err != nil {
		return err
	}
	if strings.HasSuffix(from, "7") {
		b.leaked.begins()
		return errors.New("the account is blocked")
	}
	if _, err := tx.Exec("update " + from); err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}

// transferLocked locks while it has a connection.
//
//go:noinline
func (b *bank) transferLocked(from, to string, amount int64) error {
	tx, err := b.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec("update " + from); err != nil {
		return err
	}
	b.transfers.begins()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.transfers.ends()
	b.booked[from] -= amount
	b.booked[to] += amount
	return tx.Commit()
}

// auditLocked asks for a connection while it has the lock.
//
//go:noinline
func (b *bank) auditLocked() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.auditor.takes()
	_, err := b.db.Exec(fmt.Sprintf("audit %d", len(b.booked)))
	b.auditor.gives()
	return err
}

// refresh has the lock while the database answers, which it does not always.
//
//go:noinline
func (b *bank) refresh() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.auditor.takes()
	defer b.auditor.gives()
	if atomic.AddInt64(&b.missing, -1) == 0 {
		atomic.StoreInt32(&b.database.deaf, 1)
	}
	_, err := b.db.Exec("refresh")
	return err
}

//go:noinline
func (b *bank) rate(account string) int64 {
	b.waiting.begins()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting.ends()
	return b.booked[account]
}

// bankServer serves each path, and has clients that request them in turn.
func bankServer(paths map[string]func(r *http.Request) error, timeout time.Duration) {
	mux := http.NewServeMux()
	var urls []string
	for path, f := range paths {
		f := f
		urls = append(urls, path)
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if err := f(r); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		})
	}
	sort.Strings(urls)
	base := serve(mux)
	client := browser(bankClients, timeout)
	clients(bankClients, 20*time.Millisecond, func(r *rand.Rand) {
		query := fmt.Sprintf("?from=%d&to=%d", r.Intn(bankAccounts), r.Intn(bankAccounts))
		get(context.Background(), client, base+urls[r.Intn(len(urls))]+query)
	})
}

func init() {
	services["dbpool"] = service{
		healthy: func() {
			b := newBank()
			bankServer(map[string]func(r *http.Request) error{
				"/balance": func(r *http.Request) error {
					ctx, cancel := context.WithTimeout(r.Context(), 30*time.Second)
					defer cancel()
					_, err := b.balance(ctx, r.FormValue("from"))
					return err
				},
				"/transfer": func(r *http.Request) error {
					return b.transfer(r.Context(), r.FormValue("from"), r.FormValue("to"), 5)
				},
			}, time.Minute)
			go func() {
				for range time.Tick(50 * time.Millisecond) {
					b.audit(context.Background())
				}
			}()
		},
		sick: map[string]func() sickness{
			"rows not closed": func() sickness {
				b := newBank()
				bankServer(map[string]func(r *http.Request) error{
					"/balance": func(r *http.Request) error {
						_, err := b.balanceUnlessBlocked(r.FormValue("from"))
						return err
					},
				}, 2*time.Second)
				return sickness{
					reached: func() bool { return b.leaked.now() == bankConnections && b.waiting.now() >= bankClients },
					findings: func() []finding {
						return []finding{{Kinds: []string{"pool_exhausted"}, Names: []string{"main.(*bank).balanceUnlessBlocked"}}}
					},
				}
			},
			"transaction not ended": func() sickness {
				b := newBank()
				bankServer(map[string]func(r *http.Request) error{
					"/transfer": func(r *http.Request) error { return b.transferUnlessBlocked(r.FormValue("from")) },
				}, 2*time.Second)
				return sickness{
					reached: func() bool { return b.leaked.now() == bankConnections && b.waiting.now() >= bankClients },
					findings: func() []finding {
						return []finding{
							{Kinds: []string{"pool_exhausted"}, Names: []string{"main.(*bank).transferUnlessBlocked"}},
							// Each transaction has a goroutine that waits for its end.
							{Kinds: []string{"leaked"}, Names: []string{"database/sql.(*DB).beginDC"}, Aside: true},
						}
					},
				}
			},
			"lock and connection": func() sickness {
				b := newBank()
				bankServer(map[string]func(r *http.Request) error{
					"/transfer": func(r *http.Request) error {
						return b.transferLocked(r.FormValue("from"), r.FormValue("to"), 5)
					},
					"/audit": func(r *http.Request) error { return b.auditLocked() },
				}, 2*time.Second)
				return sickness{
					reached: func() bool { return b.transfers.now() == bankConnections && b.auditor.is() != 0 },
					findings: func() []finding {
						return []finding{{
							Kinds:   []string{"pool_cycle"},
							Names:   []string{"main.(*bank).transferLocked", "main.(*bank).auditLocked"},
							Holders: []int64{b.auditor.is()},
						}}
					},
				}
			},
			"lock held while the database is silent": func() sickness {
				b := newBank()
				b.missing = 20
				bankServer(map[string]func(r *http.Request) error{
					"/rate":    func(r *http.Request) error { b.rate(r.FormValue("from")); return nil },
					"/refresh": func(r *http.Request) error { return b.refresh() },
				}, 2*time.Second)
				return sickness{
					reached: func() bool { return atomic.LoadInt64(&b.missing) <= 0 && b.waiting.now() >= bankClients },
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"lock_held"}, Names: []string{"main.(*bank).refresh"},
							Holders: []int64{b.auditor.is()},
						}}
					},
				}
			},
		},
	}
}
