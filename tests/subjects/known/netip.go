// SPDX-License-Identifier: Apache-2.0

//go:build go1.19
// +build go1.19

package main

import (
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"sync/atomic"
)

var (
	netips     []netip.Addr
	netports   []netip.AddrPort
	netparts   []netip.Prefix
	bools      [2]atomic.Bool
	int32s     [3]atomic.Int32
	int64s     [3]atomic.Int64
	uint32s    [2]atomic.Uint32
	uint64s    [2]atomic.Uint64
	uintptrs   [2]atomic.Uintptr
	forgetting = []*url.URL{{Scheme: "file", OmitHost: true, Path: "/x"}, {OmitHost: true, Path: "a:b"},
		{Scheme: "http", OmitHost: true, Host: "h", Path: "p"}, {Scheme: "s", OmitHost: true},
		{Scheme: "s", OmitHost: true, User: url.User("ann"), Path: "/p"},
		{Scheme: "s", OmitHost: true, Path: "//x"}, {OmitHost: true, Path: "//x"}}
)

func init() {
	moreURLs = append(moreURLs, func() []*url.URL { return forgetting })
	omitsHost = func(u *url.URL) bool { return u.OmitHost }
	more = append(more, makeNetips, makeAtomics)
}

func makeNetips() {
	for _, ip := range ips {
		a, ok := netip.AddrFromSlice(ip)
		if !ok {
			continue
		}
		netips = append(netips, a)
		if a.Is6() {
			netips = append(netips, a.WithZone("eth0"), a.WithZone("a:b%"))
		}
	}
	netips = append(netips, netip.Addr{})
	for i, a := range netips {
		netports = append(netports, netip.AddrPortFrom(a, uint16(i*1000)))
		for _, bits := range []int{0, 7, 32, 33, 128, 129, -1} {
			netparts = append(netparts, netip.PrefixFrom(a, bits))
		}
	}
	said["netips"] = words(len(netips), func(i int) string { return netips[i].String() })
	said["netports"] = words(len(netports), func(i int) string { return netports[i].String() })
	said["netparts"] = words(len(netparts), func(i int) string { return netparts[i].String() })
}

func makeAtomics() {
	bools[1].Store(true)
	int32s[1].Store(math.MinInt32)
	int32s[2].Store(math.MaxInt32)
	int64s[1].Store(math.MinInt64)
	int64s[2].Store(math.MaxInt64)
	uint32s[1].Store(math.MaxUint32)
	uint64s[1].Store(math.MaxUint64)
	uintptrs[1].Store(math.MaxUint64)
	keep(&bools, &int32s, &int64s, &uint32s, &uint64s, &uintptrs)
	said["bools"] = words(len(bools), func(i int) string { return fmt.Sprint(bools[i].Load()) })
	said["int32s"] = words(len(int32s), func(i int) string { return fmt.Sprint(int32s[i].Load()) })
	said["int64s"] = words(len(int64s), func(i int) string { return fmt.Sprint(int64s[i].Load()) })
	said["uint32s"] = words(len(uint32s), func(i int) string { return fmt.Sprint(uint32s[i].Load()) })
	said["uint64s"] = words(len(uint64s), func(i int) string { return fmt.Sprint(uint64s[i].Load()) })
	said["uintptrs"] = words(len(uintptrs), func(i int) string { return fmt.Sprint(uintptrs[i].Load()) })
}
