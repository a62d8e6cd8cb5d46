// SPDX-License-Identifier: Apache-2.0

package main

import "fmt"

// Everything hangs on one interface, so that types can be followed in a program without debug information.
type (
	item struct {
		next  *item
		price float64
		notes string
		_     [2]int
	}
	order struct {
		id    int
		items [2]*item
		inner struct {
			why   error
			extra []item
		}
	}
	box   struct{ a, b, c, d, e int }
	fault struct {
		code int
		of   *item
	}
	store struct {
		_      [3]uint16
		orders []*order
		byName map[string]*order
		few    []map[int32]*box
		queue  chan *order
		done   chan struct{}
		hooks  []func() int
		boxes  []interface{}
		tables [1]map[int][3]*item
	}
)

func (f *fault) Error() string { return fmt.Sprint(f.code) }

const (
	orderCount, fewCount, hookCount = 600, 500, 70
	extraCount, boxCount, queued    = 20, 400, 50
	listCount                       = 100
)

var shop interface{}

//go:noinline
func hook(i int) func() int {
	return func() int { i++; return i }
}

// fill returns how many objects there are of which type.
//
//go:noinline
func fill() map[string]int {
	s := &store{byName: map[string]*order{}, queue: make(chan *order, queued), done: make(chan struct{})}
	s.tables[0] = map[int][3]*item{}
	for i := 0; i < orderCount; i++ {
		o := &order{id: i, items: [2]*item{{next: &item{}}, {}}}
		if i%10 == 0 {
			o.inner.why = &fault{code: i, of: &item{}}
		}
		if i%100 == 0 {
			o.inner.extra = make([]item, extraCount)
		}
		s.orders = append(s.orders, o)
		s.byName[fmt.Sprint("order", i)] = &order{id: -i}
	}
	for i := 0; i < fewCount; i++ {
		s.few = append(s.few, map[int32]*box{int32(i): {a: i}})
	}
	for i := 0; i < hookCount; i++ {
		s.hooks = append(s.hooks, hook(i))
	}
	for i := 0; i < boxCount; i++ {
		s.boxes = append(s.boxes, box{a: i}, &box{b: i})
		s.tables[0][i%listCount] = [3]*item{{}, nil, {}}
	}
	for i := 0; i < queued; i++ {
		s.queue <- &order{id: i}
	}
	shop = s
	return map[string]int{
		"main.store":             1,
		"main.order":             2*orderCount + queued,
		"main.item":              3*orderCount + orderCount/10 + 2*listCount,
		"main.fault":             orderCount / 10,
		"main.box":               fewCount + 2*boxCount,
		"[]main.item":            orderCount / 100,
		"map[string]*main.order": 1, "map[int32]*main.box": fewCount, "map[int][3]*main.item": 1,
		"chan *main.order": 1, "chan struct {}": 1,
		"[]map[int32]*main.box": 1, "[]func() int": 1, "func main.hook.func1": hookCount,
	}
}
