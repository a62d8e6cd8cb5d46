// SPDX-License-Identifier: Apache-2.0

//go:build go1.21
// +build go1.21

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"reflect"
	"sync/atomic"
)

var (
	prefixes = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32"),
		{}, netip.MustParsePrefix("fe80::/10")}
	addresses = []netip.Addr{netip.MustParseAddr("fe80::1%eth0"), netip.MustParseAddr("1.2.3.4"),
		netip.MustParseAddr("::ffff:1.2.3.4"), netip.MustParseAddr("::1"), {},
		netip.MustParseAddr("::ffff:1.2.3.4%zone"), netip.AddrFrom16([16]byte{})}
	ports = []netip.AddrPort{netip.MustParseAddrPort("1.2.3.4:80"), netip.MustParseAddrPort("[::1]:443"),
		{}, netip.MustParseAddrPort("[fe80::1%eth0]:1"), netip.MustParseAddrPort("[::ffff:1.2.3.4]:2")}
	levels  = []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError, -5, 1, 12}
	pointer atomic.Pointer[job]
	nowhere atomic.Pointer[int]
	caused  context.Context
	without = context.WithoutCancel(cancelled)
	plural  = []error{errors.Join(errors.New("a"), io.EOF), errors.Join(io.EOF),
		fmt.Errorf("%w and %w", io.EOF, errors.Join(io.EOF, io.ErrNoProgress))}
	calledAfter, stoppable context.Context
)

// afterwards is a context that package context does not know, and that calls functions at its end.
type afterwards struct{ context.Context }

func (a afterwards) AfterFunc(f func()) func() bool { return context.AfterFunc(a.Context, f) }
func (afterwards) Value(interface{}) interface{}    { return nil }

// makeInner finds the contexts that package context keeps in others.
func makeInner() {
	parent, cancel := context.WithCancel(context.Background())
	context.AfterFunc(parent, func() {})
	children := reflect.ValueOf(parent).Elem().FieldByName("children").MapKeys()
	inner := children[0].Elem()
	calledAfter = reflect.NewAt(inner.Type().Elem(), inner.UnsafePointer()).Interface().(context.Context)
	child, stop := context.WithCancel(afterwards{parent})
	stoppable = reflect.ValueOf(child).Elem().FieldByName("Context").Interface().(context.Context)
	said["calledAfter"], said["stoppable"] = "not done", "not done"
	said["plural"] = words(len(plural), func(i int) string { return plural[i].Error() })
	keep(parent, cancel, child, stop)
}

func init() { more = append(more, later, makeInner) }

func later() {
	said["prefixes"] = words(len(prefixes), func(i int) string { return prefixes[i].String() })
	said["addresses"] = words(len(addresses), func(i int) string { return addresses[i].String() })
	said["ports"] = words(len(ports), func(i int) string { return ports[i].String() })
	said["levels"] = words(len(levels), func(i int) string { return levels[i].String() })
	pointer.Store(&job{7, "pointed"})
	extras["pointed"] = "7"
	ctx, cancel := context.WithCancelCause(context.Background())
	caused = ctx
	cancel(errors.New("the client went away"))
	said["caused"] = "context canceled (the client went away)"
	said["without"] = "without cancel, values of main.userKey"
	keep(&pointer, &nowhere, &prefixes, &addresses, &ports, &levels)
}
