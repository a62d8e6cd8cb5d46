// SPDX-License-Identifier: Apache-2.0

// Subject: a program that loads the plugins that its arguments name (plugged).
package main

import (
	"os"
	"plugin"
	"subjects/truth"
)

func main() {
	truth.EndWithStdin()
	for _, path := range os.Args[1:] {
		p, err := plugin.Open(path)
		if err != nil {
			panic(err)
		}
		find(p, "Start").(func(func()))(back)
		go find(p, "Park").(func())()
		go calls(find(p, "Park").(func()))
	}
	truth.Announce(5 * len(os.Args[1:]))
}

func find(p *plugin.Plugin, name string) plugin.Symbol {
	symbol, err := p.Lookup(name)
	if err != nil {
		panic(err)
	}
	return symbol
}

//go:noinline
func calls(park func()) {
	park()
}

func back() {
	truth.Below("called by a plugin", "chan receive")
	<-make(chan int)
}
