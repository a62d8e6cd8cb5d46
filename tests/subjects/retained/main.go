// SPDX-License-Identifier: Apache-2.0

// Subject with a small heap whose dominators are known: it says how many objects each type retains.
package main

import (
	"bufio"
	"os"
	"runtime"
	"subjects/truth"
)

type (
	// What both sides of a diamond lead to is retained by its top only.
	top    struct{ left, right interface{} }
	left   struct{ down *bottom }
	right  struct{ down *bottom }
	bottom struct{ below *deepest }
	// Larger, so that bytes differ from objects.
	deepest struct {
		_ [30]int
		p *int
	}

	// A ring that its owner enters twice, and that leads back to the owner.
	owner struct{ in, also *link }
	link  struct {
		next, before *link
		owner        *owner
	}

	// What two variables hold is retained by neither, but below it a chain is.
	holder struct{ of *shared }
	shared struct{ first *chained }
	// Each leads to the one after the next, too, so that those in between dominate nothing.
	chained struct {
		next, overNext *chained
		to             *last
	}
	last struct{ n [3]int }

	// Of one type inside another object of the same type: counted once.
	folder struct {
		folders []*folder
		file    *file
	}
	file struct{ bytes [100]byte }

	// Held by a variable and by a goroutine's stack.
	twice struct{ of *held }
	held  struct{ p *[4]int }
)

const (
	links, chain, tops = 10, 7, 5
	branches, depth    = 3, 4
)

// Everything hangs on interfaces, so that types are known without debug information.
var diamonds, ring, one, other, files, common interface{}

//go:noinline
func plantDiamonds() {
	var all [tops]interface{}
	for i := range all {
		b := &bottom{&deepest{}}
		all[i] = &top{&left{b}, &right{b}}
	}
	diamonds = &all
}

//go:noinline
func plantRing() {
	var all [links]*link
	o := new(owner)
	for i := range all {
		all[i] = &link{owner: o}
	}
	for i, l := range all {
		l.next, l.before = all[(i+1)%links], all[(i+links-1)%links]
	}
	o.in, o.also = all[0], all[links/2]
	ring = o
}

//go:noinline
func plantChain() {
	var all [chain]*chained
	end := new(last)
	for i := chain - 1; i >= 0; i-- {
		all[i] = &chained{to: end}
		if i+1 < chain {
			all[i].next = all[i+1]
		}
		if i+2 < chain {
			all[i].overNext = all[i+2]
		}
	}
	s := &shared{all[0]}
	one, other = &holder{s}, &holder{s}
}

func tree(depth int) *folder {
	f := &folder{file: new(file)}
	if depth == 0 {
		return f
	}
	for i := 0; i < branches; i++ {
		f.folders = append(f.folders, tree(depth-1))
	}
	return f
}

//go:noinline
func plantCommon() interface{} {
	t := &twice{&held{new([4]int)}}
	common = t
	return t
}

func main() {
	plantDiamonds()
	plantRing()
	plantChain()
	files = tree(depth)
	held := plantCommon()
	runtime.GC()
	runtime.GC()
	folders, inner := 0, 0
	for i, n := 0, 1; i <= depth; i, n = i+1, n*branches {
		folders += n
		if i < depth {
			inner += n
		}
	}
	truth.Say(map[string]interface{}{
		"retained": map[string]int{
			"main.top": 5 * tops, "main.left": tops, "main.right": tops, "main.bottom": 2 * tops,
			"main.deepest": tops,
			"main.owner":   1 + links, "main.link": links,
			// With the chain and its end.
			"main.holder": 2, "main.shared": 2 + chain, "main.chained": 1 + chain, "main.last": 1,
			// With the slices of those that have any.
			"main.folder": 2*folders + inner, "main.file": folders, "[]*main.folder": 2*(folders-1) + inner,
			"main.twice": 3, "main.held": 2,
		},
		"alone": map[string]int{"main.diamonds": 1 + 5*tops, "main.ring": 1 + links, "main.one": 1, "main.other": 1,
			"main.files": 2*folders + inner},
	})
	truth.Ready()
	bufio.NewScanner(os.Stdin).Scan()
	runtime.KeepAlive(held)
}
