// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"
)

// Tables of corner cases of the types that print themselves: what each says is what the program
// says.
var (
	urls       []*url.URL
	times      []time.Time
	spans      []time.Duration
	months     []time.Month
	days       []time.Weekday
	zones      []*time.Location
	ips        []net.IP
	nets       []*net.IPNet
	stations   []net.HardwareAddr
	tcps       []*net.TCPAddr
	udps       []*net.UDPAddr
	unixes     []*net.UnixAddr
	bigs       []*big.Int
	fractions  []*big.Rat
	reals      []*big.Float
	numbers    []syscall.Errno
	patterns   []*regexp.Regexp
	buffers    []bytes.Buffer
	builders   [3]strings.Builder
	errs       []error
	timeouts   []error
	mutexes    [3]sync.Mutex
	rwmutexes  [4]sync.RWMutex
	onces      [2]sync.Once
	answers    []*http.Response
	servers    []*http.Server
	overTLS    *tls.Conn
	udp        *net.UDPConn
	unixConn   net.Conn
	unixListen net.Listener
	raw4       net.IPConn
	awkward    = []string{"", "a", "a b", "ä", "%", "%41", "%zz", "/", "//", "?", "#", ":", "@", "a:b",
		"a/b:c", "*", "**", "[::1]:80", "[fe80::1%en0]:80", "<>\"", "!$&'()*+,;=", "\\^`{|}~", "\x00\x7f",
		"\xff\xfe", "日本", "../a", "/a%2Fb"}
)

func tables() {
	makeURLs()
	makeTimes()
	makeAddresses()
	makeNumbers()
	makeErrors()
	makeStates()
}

// Without the user, whom nobody may see.
func withoutUser(u *url.URL) string {
	text := u.String()
	if u.User != nil {
		text = strings.Replace(text, u.User.String()+"@", "", 1)
	}
	return text
}

func makeURLs() {
	pick := func(list []string, n int) string { return list[n%len(list)] }
	schemes := []string{"", "", "http", "mailto"}
	hosts := []string{"", "h", "h:80", "[fe80::1%en0]:80", "ü.example", "a b", "<\"%/?#>"}
	raws := []string{"", "/a%2Fb", "%41", "a b", "%zz", "/", "!()*", "a%20b"}
	for i := 0; i < 600; i++ {
		u := &url.URL{Scheme: pick(schemes, i), Host: pick(hosts, i/3), Path: pick(awkward, i*7+i/5),
			RawPath: pick(raws, i/4), Fragment: pick(awkward, i*5), RawFragment: pick(raws, i/6),
			ForceQuery: i%3 == 0}
		if i%4 == 0 {
			u.RawQuery = pick([]string{"q=1&x=%20", "a b", "ä"}, i)
		}
		if s := pick(awkward, i); i%11 == 0 && utf8.ValidString(s) { // a document has only text
			u.Opaque = s
		}
		if i%13 == 0 {
			u.User = url.UserPassword("ann", "secret")
		}
		urls = append(urls, u)
	}
	for _, s := range awkward { // what encodes it in the usual way, and in another
		urls = append(urls, &url.URL{Path: s, RawPath: url.PathEscape(s), Fragment: s,
			RawFragment: url.PathEscape(s)}, &url.URL{Host: "h", Path: s})
	}
	for _, s := range []string{"http://h//double", "http:///p", "file:///etc/x", "http://h?", "//h/p",
		"http://[fe80::1%25en0]:80/", "http://h/a%2fb?x#y%20z", "mailto:a@b", "a:b", "./a:b", "*",
		"http://h/%E6%97%A5", "http://user@/p", "http://ann:a%40b@h/p", "/%2f/", "#", "?", "http://h/#"} {
		if u, err := url.Parse(s); err == nil {
			urls = append(urls, u)
		}
	}
	for _, f := range moreURLs {
		urls = append(urls, f()...)
	}
	said["urls"] = words(len(urls), func(i int) string {
		u := urls[i]
		if strings.HasPrefix(u.EscapedPath(), "//") && omitsHost(u) && u.Host == "" && u.User == nil &&
			u.Opaque == "" {
			return "" // patch releases differ
		}
		return withoutUser(u)
	})
}

// What later releases have more.
var (
	moreURLs  []func() []*url.URL
	omitsHost = func(*url.URL) bool { return false }
)

func makeTimes() {
	for _, year := range []int{-9999, -1000, -999, -44, -1, 0, 1, 4, 100, 400, 999, 1582, 1884, 1885, 1900,
		1969, 1970, 2000, 2024, 2038, 2157, 2158, 9999, 10000, 99999, -99999, 123456789, -123456789} {
		times = append(times, time.Date(year, 3, 15, 1, 2, 3, 4500, time.UTC),
			time.Date(year, 2, 29, 23, 59, 59, 999999999, time.UTC),
			time.Date(year, 12, 31, 0, 0, 0, 1, time.FixedZone("x", -3600)),
			time.Date(year, 1, 1, 0, 0, 0, 100000000, time.FixedZone("y", 14*3600)))
	}
	times = append(times, time.Time{}, time.Unix(0, 0), time.Unix(-1, 999), time.Unix(1<<33, 0),
		time.Unix(1<<55, 5), time.Unix(-1<<55, 5), time.Now(), time.Now().Add(-time.Hour).Round(0))
	said["times"] = words(len(times), func(i int) string { return times[i].UTC().Format(time.RFC3339Nano) })
	for _, ns := range []time.Duration{0, 1, 9, 10, 99, 100, 999, 1000, 1001, 1100, 999999, 1000000, 1000001,
		1500000, 999999999, 1e9, 1e9 + 1, 59*1e9 + 999999999, 60e9, 61e9, 3599e9, 3600e9, 3601e9, 86400e9,
		100*3600e9 + 1, math.MaxInt64, math.MinInt64, math.MinInt64 + 1} {
		spans = append(spans, ns, -ns)
	}
	said["spans"] = words(len(spans), func(i int) string { return spans[i].String() })
	for i := -2; i < 15; i++ {
		months, days = append(months, time.Month(i)), append(days, time.Weekday(i))
	}
	said["months"] = words(len(months), func(i int) string { return months[i].String() })
	said["days"] = words(len(days), func(i int) string { return days[i].String() })
	time.Now().Local().Hour() // time.Local has a name from now on
	zones = []*time.Location{time.UTC, time.Local, time.FixedZone("", 60), time.FixedZone("Ä b", -60), {}}
	said["zones"] = words(len(zones), func(i int) string { return zones[i].String() })
}

func makeAddresses() {
	for _, s := range []string{"0.0.0.0", "255.255.255.255", "1.2.3.4", "::", "::1", "::1.2.3.4", "::ffff:1.2.3.4",
		"1::", "1::2", "0:1:0:2:0:3:0:4", "1:0:0:2:0:0:0:3", "1:0:0:0:2:0:0:3", "1:0:0:2:3:0:0:4", "fe80::1",
		"2001:db8::ff00:42:8329", "1:2:3:4:5:6:7:8", "0:0:1::", "64:ff9b::1.2.3.4", "::fffe:1.2.3.4"} {
		ips = append(ips, net.ParseIP(s))
		if ip := net.ParseIP(s).To4(); ip != nil {
			ips = append(ips, ip)
		}
	}
	ips = append(ips, nil, net.IP{}, net.IP{1}, net.IP{1, 2, 3, 4, 5}, make(net.IP, 15), make(net.IP, 40))
	said["ips"] = words(len(ips), func(i int) string { return ips[i].String() })
	masks := []net.IPMask{net.CIDRMask(0, 32), net.CIDRMask(13, 32), net.CIDRMask(32, 32), net.CIDRMask(0, 128),
		net.CIDRMask(64, 128), net.CIDRMask(109, 128), net.CIDRMask(128, 128), {255, 0, 255, 0},
		append(make(net.IPMask, 12), 255, 255, 0, 1), {1, 2, 3}, nil, {255, 255, 255, 128}}
	for i, ip := range ips {
		nets = append(nets, &net.IPNet{IP: ip, Mask: masks[i%len(masks)]},
			&net.IPNet{IP: ip, Mask: masks[(i*5+1)%len(masks)]}, &net.IPNet{IP: ip, Mask: masks[(i*7+2)%len(masks)]})
		zone := []string{"", "eth0", "a:b", "%"}[i%4]
		tcps = append(tcps, &net.TCPAddr{IP: ip, Port: i * 3000, Zone: zone})
		udps = append(udps, &net.UDPAddr{IP: ip, Port: -i, Zone: zone})
	}
	said["nets"] = words(len(nets), func(i int) string { return nets[i].String() })
	said["tcps"] = words(len(tcps), func(i int) string { return tcps[i].String() })
	said["udps"] = words(len(udps), func(i int) string { return udps[i].String() })
	for _, s := range awkward[1:] {
		if utf8.ValidString(s) {
			unixes = append(unixes, &net.UnixAddr{Name: s, Net: "unix"})
		}
	}
	unixes = append(unixes, &net.UnixAddr{Name: "@abstract"}, &net.UnixAddr{})
	said["unixes"] = words(len(unixes), func(i int) string { return unixes[i].String() })
	for _, n := range []int{0, 1, 5, 6, 8, 20, 21, 64} {
		station := make(net.HardwareAddr, n)
		for i := range station {
			station[i] = byte(i * 37)
		}
		stations = append(stations, station)
	}
	said["stations"] = words(len(stations), func(i int) string { return stations[i].String() })
}

func makeNumbers() {
	one := big.NewInt(1)
	for _, bits := range []uint{0, 1, 31, 32, 63, 64, 65, 127, 128, 129, 1000, 3071} {
		power := new(big.Int).Lsh(one, bits)
		below := new(big.Int).Sub(power, one)
		bigs = append(bigs, power, below, new(big.Int).Neg(power), new(big.Int).Neg(below))
	}
	for i := int64(0); i < 40; i++ {
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(i*9), nil)
		bigs = append(bigs, ten, new(big.Int).Sub(ten, one))
	}
	said["bigs"] = words(len(bigs), func(i int) string { return bigs[i].String() })
	for i := range bigs {
		below := bigs[(i+7)%len(bigs)]
		if below.Sign() != 0 && bigs[i].BitLen()+below.BitLen() < 3200 {
			fractions = append(fractions, new(big.Rat).SetFrac(bigs[i], below))
		}
	}
	fractions = append(fractions, new(big.Rat), big.NewRat(-1, 3), new(big.Rat).SetFloat64(math.SmallestNonzeroFloat64))
	said["fractions"] = words(len(fractions), func(i int) string { return fractions[i].String() })
	for _, s := range []string{"0", "-0", "1", "-1", "9.9999999995", "9.99999999949999999999", "1e9", "1e10",
		"12345678905", "1234567890.5", "0.0001", "0.00009999999999", "0.00001", "123456", "1e-4000", "-1e4000",
		"0.1", "1e21", "99999999995", "4.000000000500000000000000000001", "1e100000", "Inf", "-Inf", "3"} {
		for _, precision := range []uint{24, 53, 64, 200} {
			f, _, err := big.ParseFloat(s, 10, precision, big.ToNearestEven)
			must(err)
			reals = append(reals, f)
		}
	}
	for _, e := range []int{big.MinExp, big.MinExp + 64, big.MaxExp} {
		reals = append(reals, new(big.Float).SetMantExp(big.NewFloat(0.5), e))
	}
	reals = append(reals, new(big.Float))
	said["reals"] = words(len(reals), func(i int) string {
		if e := reals[i].MantExp(nil); e > 16000 || e < -16000 {
			return "" // beyond what the C library converts
		}
		// Nor are there more than 64 bits, where it is those behind them that decide.
		low := new(big.Float).SetPrec(64).SetMode(big.ToZero).Set(reals[i])
		high := new(big.Float).SetPrec(64).SetMode(big.AwayFromZero).Set(reals[i])
		if low.String() != high.String() {
			return ""
		}
		return reals[i].String()
	})
	for i := 0; i < 300; i++ {
		numbers = append(numbers, syscall.Errno(i))
	}
	numbers = append(numbers, 1<<31, 1<<63, math.MaxUint64)
	said["numbers"] = words(len(numbers), func(i int) string { return numbers[i].Error() })
	for _, s := range []string{"", "a", `^[a-z]+\[(\d+)\]$`, "日本|ä", `\x{10FFFF}`, `"\n`} {
		patterns = append(patterns, regexp.MustCompile(s))
	}
	said["patterns"] = words(len(patterns), func(i int) string { return patterns[i].String() })
}

type unknownAddress struct{}

func (unknownAddress) Network() string { return "net" }
func (unknownAddress) String() string  { return "own" }

type unknownError struct{}

func (unknownError) Error() string { return "own" }

func makeErrors() {
	plain := errors.New("plain")
	leaves := []error{plain, io.EOF, errors.New(""), errors.New("ä\n\"日\""), syscall.ENOENT, syscall.Errno(0),
		context.DeadlineExceeded, context.Canceled, os.ErrDeadlineExceeded, strconv.ErrRange}
	errs = append(errs, leaves...)
	for i, leaf := range leaves {
		text := awkward[(i*3+1)%len(awkward)]
		errs = append(errs, fmt.Errorf("wrapped %d: %w", i, leaf),
			&os.PathError{Op: "open", Path: "/a b", Err: leaf},
			&os.LinkError{Op: "link", Old: "a", New: "b", Err: leaf}, os.NewSyscallError("read", leaf),
			&url.Error{Op: "Get", URL: text, Err: leaf}, &url.Error{Op: "Get", URL: "http://h/\"\n", Err: leaf},
			&strconv.NumError{Func: "Atoi", Num: text, Err: leaf})
	}
	for _, s := range []string{"\x00\a\b\f\n\r\t\v\x1f\x7f", `"'\`, "\u00a0\u00ad\u200b", "é€語", "\ufffd\ufeff",
		"😀", "\xc3", "\xed\xa0\x80", "\ue000", "a\xffb"} {
		errs = append(errs, &strconv.NumError{Func: "ParseInt", Num: s, Err: plain},
			&url.Error{Op: "Put", URL: s, Err: io.EOF})
	}
	for n := 1008; n < 1024; n++ {
		errs = append(errs, &url.Error{Op: "Get", URL: strings.Repeat("/", n), Err: plain})
	}
	for _, name := range []string{"", "h", "a b"} {
		for _, server := range []string{"", "127.0.0.1:53"} {
			errs = append(errs, &net.DNSError{Err: "no such host", Name: name, Server: server})
		}
	}
	addresses := []net.Addr{nil, (*net.TCPAddr)(nil), &net.TCPAddr{Port: 1}, (*net.UnixAddr)(nil),
		&net.UnixAddr{}, &net.UDPAddr{IP: net.IPv4(1, 2, 3, 4), Zone: "z"}}
	for _, source := range addresses {
		for _, to := range addresses {
			errs = append(errs, &net.OpError{Op: "read", Net: "tcp", Source: source, Addr: to, Err: plain})
		}
	}
	errs = append(errs, &net.OpError{Op: "close", Err: os.NewSyscallError("close", syscall.EBADF)})
	said["errs"] = words(len(errs), func(i int) string {
		text := errs[i].Error()
		if len(text) > 1024 {
			text = text[:1024] // more is left out
		}
		if strings.Contains(text, `\u007f`) || strings.Contains(text, `\x7f`) {
			return "" // releases quote it differently
		}
		return text
	})
	strangers = []error{unknownError{}, &os.PathError{Op: "x", Path: "y", Err: unknownError{}},
		&net.OpError{Op: "read", Net: "tcp", Source: unknownAddress{}, Err: plain}}
	said["strangers"] = []string{"", "", ""} // what their methods do is not known
	server, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	_, past := (&net.Dialer{Deadline: time.Now().Add(-time.Hour)}).Dial("tcp", server.Addr().String())
	must(server.Close())
	_, closed := server.Accept()
	for _, err := range []error{past, closed} {
		timeouts = append(timeouts, err, err.(*net.OpError).Err)
	}
	said["timeouts"] = words(len(timeouts), func(i int) string { return timeouts[i].Error() })
}

var strangers []error

// makeStates sets up what has no form of its own in Go: the texts are ours, the facts the program's.
func makeStates() {
	buffers = make([]bytes.Buffer, 3)
	buffers[1].WriteString("read and unread ä")
	buffers[1].Next(9)
	buffers[2].WriteString("read")
	buffers[2].Next(4)
	builders[1].WriteString("日本 a\nb")
	builders[2].WriteString(strings.Repeat("x", 1000))
	said["buffers"] = words(len(buffers), func(i int) string { return buffers[i].String() })
	said["builders"] = words(len(builders), func(i int) string { return builders[i].String() })
	mutexes[1].Lock()
	mutexes[2].Lock()
	rwmutexes[1].RLock()
	rwmutexes[1].RLock()
	rwmutexes[2].Lock()
	rwmutexes[3].RLock()
	blocked(func() { mutexes[2].Lock() }, "semacquire|sync.Mutex.Lock")
	blocked(func() { rwmutexes[3].Lock() }, "semacquire|sync.RWMutex.Lock")
	blocked(func() { rwmutexes[2].RLock() }, "semacquire|sync.RWMutex.RLock")
	said["mutexes"] = []string{"unlocked", "locked", "locked, 1 waiting"}
	said["rwmutexes"] = []string{"unlocked", "2 reading", "locked for writing, 1 waiting to read",
		"1 reading, one waiting to write"}
	onces[1].Do(func() {})
	said["onces"] = []string{"not done", "done"}
	answers = []*http.Response{{Status: "200 OK"}, {Status: "404 Not Found"}, {}}
	servers = []*http.Server{{Addr: ":8080"}, {}}
	said["answers"], said["servers"] = []string{"200 OK", "404 Not Found", ""}, []string{":8080", ""}
	overTLS = tls.Client(dialed, &tls.Config{})
	said["overTLS"] = fmt.Sprintf("~tls over tcp %s to %s, fd [0-9]+, established", dialed.LocalAddr(),
		dialed.RemoteAddr())
	var err error
	udp, err = net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(err)
	said["udp"] = fmt.Sprintf("~udp %s, fd [0-9]+.*", udp.LocalAddr())
	name := fmt.Sprintf("@gosnap-known-%d", os.Getpid())
	unixListen, err = net.Listen("unix", name)
	must(err)
	unixConn, err = net.Dial("unix", name)
	must(err)
	said["unixListen"] = fmt.Sprintf("~unix %s, fd [0-9]+.*", name)
	said["unixConn"] = fmt.Sprintf("~unix %s to %s, fd [0-9]+.*", unixConn.LocalAddr(), name)
	said["raw4"] = "" // one that is open needs rights
	keep(&raw4, &buffers, &builders, &mutexes, &rwmutexes, &onces, overTLS, udp)
}
