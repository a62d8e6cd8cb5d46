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

	// Of a column whose values are often the same: they are many pointers to few objects.
	cell struct {
		value *value
		text  *[3]int
	}
	value struct{ p *[5]int }

	// To what is inside another object of a type with the same name.
	between struct{ to interface{} }
	pair    struct{ one, other interface{} }

	// With argument "dense": each row leads to all rows.
	row  [rows]*row
	nest struct {
		in    *nest
		first *row
	}
)

const (
	links, chain, tops = 10, 7, 5
	branches, depth    = 3, 4
	cells, cellValues  = 5000, 40
	rows               = 2100
)

// Everything hangs on interfaces, so that types are known without debug information.
var diamonds, ring, one, other, files, common, column, values, sames interface{}

// But this, so that without debug information its type is not known.
var nested *nest

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

// The column leads to all values twice and more; another object leads to all but the first one.
//
//go:noinline
func plantColumn() {
	var all [cells]cell
	var some [cellValues - 1]cell
	for i := range all {
		if i < cellValues {
			all[i] = cell{&value{new([5]int)}, new([3]int)}
			continue
		}
		all[i] = all[(i*7)%cellValues]
	}
	copy(some[:], all[1:])
	column, values = &all, &some
}

func newLeaf() interface{} {
	type same struct{ n [2]int }
	return new(same)
}

//go:noinline
func plantSames() {
	type same struct{ in, also, shared interface{} }
	inside, shared := newLeaf(), newLeaf()
	sames = &pair{&same{&between{inside}, &between{inside}, shared}, shared}
}

//go:noinline
func plantRows() {
	var all [rows]*row
	for i := range all {
		all[i] = new(row)
	}
	for _, r := range all {
		*r = all
	}
	nested = &nest{in: &nest{first: all[0]}}
}

func main() {
	plantDiamonds()
	plantRing()
	plantChain()
	plantColumn()
	plantSames()
	if len(os.Args) > 1 {
		plantRows()
	}
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
			"main.value":   2 * cellValues,
			"main.between": 2, "main.pair": 6,
		},
		// Where debug information gives types in functions no names of their own: what is inside another one is
		// counted once.
		"stripped": map[string]int{"main.same": 4 + 1},
		"alone": map[string]int{"main.diamonds": 1 + 5*tops, "main.ring": 1 + links, "main.one": 1, "main.other": 1,
			"main.files": 2*folders + inner,
			// And the first value, with what it leads to.
			"main.column": 1 + 3, "main.values": 1},
	})
	truth.Ready()
	bufio.NewScanner(os.Stdin).Scan()
	runtime.KeepAlive(held)
}
