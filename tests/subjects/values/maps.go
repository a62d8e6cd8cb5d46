// SPDX-License-Identifier: Apache-2.0

package main

import "unsafe"

// Maps in the middle of what they do to their tables. That they are is looked at here: what is read
// of them does not move them on.
var (
	growingMap  = map[int]string{}
	growingBig  = map[large]large{}
	tidiedMap   = map[int]string{}
	unevenMap   = map[string]int{}
	emptiedMap  = map[int]*int{}
	refilledMap = map[int]int{}
)

// words of a map's header.
func words(m unsafe.Pointer) *[6]uintptr { return *(**[6]uintptr)(m) }

func inMotion() map[string]variable {
	for i := 0; i < 3000; i++ {
		emptiedMap[i], refilledMap[i] = &anInt, i
	}
	for i := 0; i < 3000; i++ {
		delete(emptiedMap, i)
		if i%7 != 0 {
			delete(refilledMap, i)
		}
	}
	for i := 3000; i < 3300; i++ {
		refilledMap[i] = -i
	}
	moveOn()
	return map[string]variable{
		"growingMap":  stated(&growingMap),
		"growingBig":  stated(&growingBig),
		"tidiedMap":   stated(&tidiedMap),
		"unevenMap":   stated(&unevenMap),
		"emptiedMap":  stated(&emptiedMap),
		"refilledMap": stated(&refilledMap),
	}
}
