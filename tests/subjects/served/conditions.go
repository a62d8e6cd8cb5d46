// SPDX-License-Identifier: Apache-2.0

package main

import (
	"runtime/debug"
	"strconv"
	"syscall"
)

const (
	page         = 4096
	rlimitNproc  = 6
	dontFork     = 10
	wipeOnFork   = 18
	remapToPlace = 3 // MREMAP_MAYMOVE|MREMAP_FIXED
)

var filled [][]byte

// conditions makes the process one of those that cannot be copied as others are. It says
// "made", or why not.
func conditions(words []string) interface{} {
	made := error(nil)
	switch words[0] {
	case "locked":
		made = call(syscall.SYS_MLOCKALL, syscall.MCL_CURRENT|syscall.MCL_FUTURE, 0, 0)
	case "lonely": // no more tasks of this user
		n, _ := strconv.ParseUint(words[1], 10, 64)
		made = syscall.Setrlimit(rlimitNproc, &syscall.Rlimit{Cur: n, Max: n})
	case "large":
		made = large()
	case "unforked":
		made = advise(dontFork)
	case "wiped":
		made = advise(wipeOnFork)
	case "shared":
		made = share()
	case "forking":
		go forking(words[1])
	case "fill": // so many MB more
		n, _ := strconv.Atoi(words[1])
		filled = append(filled, make([]byte, n<<20))
		for at := 0; at < n<<20; at += page {
			filled[len(filled)-1][at] = 1
		}
	case "quiet": // the collector would wait for who waits in the kernel
		debug.SetGCPercent(-1)
	default:
		return "unknown: " + words[0]
	}
	if made != nil {
		return made.Error()
	}
	return "made"
}

func call(number, a, b, c uintptr, more ...uintptr) error {
	more = append(more, 0, 0)
	if _, _, errno := syscall.Syscall6(number, a, b, c, more[0], more[1], 0); errno != 0 {
		return errno
	}
	return nil
}

// large makes one mapping of more memory than the machine has, out of two: what a fork
// would have to promise in one piece. No page of it is touched.
func large() error {
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return err
	}
	half := uintptr((info.Totalram + info.Totalswap) * uint64(info.Unit))
	half = (half/10*6 + page) &^ (page - 1)
	const kind = syscall.MAP_PRIVATE | syscall.MAP_ANON
	whole, _, errno := syscall.Syscall6(syscall.SYS_MMAP, 0, 2*half, syscall.PROT_NONE,
		kind|syscall.MAP_NORESERVE, ^uintptr(0), 0)
	if errno != 0 {
		return errno
	}
	for _, at := range []uintptr{whole, whole + half} {
		if _, _, errno := syscall.Syscall6(syscall.SYS_MMAP, at, half,
			syscall.PROT_READ|syscall.PROT_WRITE, kind|syscall.MAP_FIXED, ^uintptr(0), 0); errno != 0 {
			return errno
		}
	}
	return nil
}

// advise is about the pages with the words of the first half of those whose words are tied.
func advise(advice uintptr) error {
	for _, at := range tiedWords[:len(tiedWords)/2] {
		if err := call(syscall.SYS_MADVISE, at&^(page-1), page, advice); err != nil {
			return err
		}
	}
	return nil
}

// share puts memory that is shared with children in the place of the page with the first tied
// words. What is written to it meanwhile is lost.
func share() error {
	at := tiedWords[0] &^ (page - 1)
	fresh, _, errno := syscall.Syscall6(syscall.SYS_MMAP, 0, page,
		syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_ANON, ^uintptr(0), 0)
	if errno != 0 {
		return errno
	}
	copy(bytesAt(fresh), bytesAt(at))
	return call(syscall.SYS_MREMAP, fresh, page, page, remapToPlace, at)
}

func bytesAt(at uintptr) []byte { return (*[page]byte)(at2pointer(at))[:] }

// forking starts a program, and is in the kernel until it has been loaded: the memory is
// the child's, too, until then.
func forking(path string) {
	pid, err := syscall.ForkExec(path, []string{path}, nil)
	if err != nil {
		fail("%s does not start: %v", path, err)
		return
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || status != 0 {
		fail("%s ended with %v, %v", path, status, err)
	}
}
