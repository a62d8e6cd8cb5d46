// SPDX-License-Identifier: Apache-2.0

// crash dies in the way that it is told to. It says beforehand what will be true: the goroutine,
// the function and the line that are to blame, and what they do it to.
//
// usage: crash WAY [GOROUTINES [BUSY]]
//
// GOROUTINES more only wait, and BUSY more never do for long. The environment's MEMORY is how many
// megabytes it has besides, which a core has, too; SPARSE, how many gigabytes it never touches. With WIRED the goroutine that dies keeps one thread, which it
// names, and which is not the process's first.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"subjects/truth"
	"sync"
	"syscall"
)

// Facts of the death to come.
type facts struct {
	Way       string `json:"way"`
	Goroutine int64  `json:"goroutine"`
	Function  string `json:"function"`
	Line      int    `json:"line"`
	Variable  string `json:"variable,omitempty"` // what is nil, or has the bad index
	Address   string `json:"address,omitempty"`
	Creator   string `json:"creator,omitempty"` // function
	Thread    int    `json:"thread,omitempty"`
}

var (
	ways   = map[string]func(){}
	way    string
	ready  = make(chan bool)
	memory []byte
	sparse []byte
	wired  = os.Getenv("WIRED") != ""
)

func init() {
	if wired {
		runtime.LockOSThread() // the first thread is main's until the end
	}
}

// dying is called in the function that is to blame, LINES before the line. It returns when it is
// time to die.
func dying(lines int, variable, creator string) {
	pc, _, line, _ := runtime.Caller(1)
	say(facts{
		Way: way, Goroutine: truth.Goid(), Function: runtime.FuncForPC(pc).Name(),
		Line: line + lines, Variable: variable, Creator: creator,
	})
}

func say(f facts) {
	if wired {
		runtime.LockOSThread()
		f.Thread = syscall.Gettid()
	}
	text, _ := json.Marshal(f)
	fmt.Printf("%s\nREADY\n", text)
	<-ready
}

// crowd is what else a server does.
func crowd(n int) {
	var started sync.WaitGroup
	for i := 0; i < n; i++ {
		started.Add(1)
		go func(i int) {
			started.Done()
			if i%2 == 0 {
				select {}
			}
			<-make(chan int)
		}(i)
	}
	started.Wait()
}

// load is what it does while it dies: work, allocations, and messages.
func load(n int) {
	jobs := make(chan []int, n)
	for i := 0; i < n; i++ {
		jobs <- make([]int, 8)
		go func() {
			seen := map[int]int{}
			for job := range jobs {
				for k := range job {
					seen[k%8] += job[k]
				}
				jobs <- append(make([]int, 0, 9), seen[0]%9, 1, 2, 3, 4, 5, 6, 7)
			}
		}()
	}
}

func main() {
	if len(os.Args) < 2 || ways[os.Args[1]] == nil {
		var names []string
		for name := range ways {
			names = append(names, name)
		}
		sort.Strings(names)
		fmt.Println(names)
		os.Exit(2)
	}
	way = os.Args[1]
	n, _ := strconv.Atoi(os.Getenv("MEMORY"))
	memory = bytes.Repeat([]byte{'m'}, n<<20)
	n, _ = strconv.Atoi(os.Getenv("SPARSE"))
	sparse = make([]byte, n<<30)
	if len(os.Args) > 2 {
		n, _ := strconv.Atoi(os.Args[2])
		crowd(n)
	}
	if len(os.Args) > 3 {
		n, _ := strconv.Atoi(os.Args[3])
		load(n)
	}
	if ending[way] {
		ways[way]()
		return
	}
	go func() {
		bufio.NewReader(os.Stdin).ReadString('\n')
		close(ready)
	}()
	if wired {
		go ways[way]()
		select {}
	}
	ways[way]()
}
