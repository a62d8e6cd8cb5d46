// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"errors"
	"io/ioutil"
	"syscall"
	"unsafe"
)

var errPrivileged = errors.New("gosnap: the program is set-uid or set-gid: who starts it must not choose " +
	"what it runs as gosnap")

// Of <linux/auxvec.h>.
const (
	auxUID  = 11
	auxEUID = 12
	auxGID  = 13
	auxEGID = 14
)

// isPrivileged is true of a program that got the rights of its file's owner or group as it began: PATH
// and HOME are those of somebody else then. Capabilities of the file do not count: gosnap does not
// inherit them.
func isPrivileged() bool {
	ids, err := idsAtStart()
	if err != nil {
		// Only root may read it where a program has other rights than who started it.
		return syscall.Getuid() != syscall.Geteuid() || syscall.Getgid() != syscall.Getegid()
	}
	return ids[auxUID] != ids[auxEUID] || ids[auxGID] != ids[auxEGID]
}

// idsAtStart does not see what the program changed since.
func idsAtStart() (map[uintptr]uintptr, error) {
	const size = unsafe.Sizeof(uintptr(0))
	text, err := ioutil.ReadFile("/proc/self/auxv")
	if err != nil {
		return nil, err
	}
	ids := map[uintptr]uintptr{}
	for ; len(text) >= int(2*size); text = text[2*size:] {
		pair := (*[2]uintptr)(unsafe.Pointer(&text[0]))
		ids[pair[0]] = pair[1]
	}
	return ids, nil
}
