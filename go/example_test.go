// SPDX-License-Identifier: Apache-2.0

//go:build linux
// +build linux

package gosnap_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"syscall"
	"time"

	"gosnap.invalid/gosnap"
)

// The examples run on machines without gosnap, too: nothing happens then.
func init() {
	gosnap.Configure(gosnap.Options{Program: "/nowhere/gosnap", Folder: os.TempDir()})
}

func Example() {
	serve := func(request string) {
		defer gosnap.Recover(gosnap.Attribute("request", request))
		var sizes map[string]int
		sizes[request] = len(request)
	}
	// Somebody above recovers it, here as in net/http. Otherwise the program would end as ever.
	defer func() { fmt.Println(recover()) }()
	serve("/orders")
	// Output: assignment to entry in nil map
}

func ExampleConfigure() {
	gosnap.Configure(gosnap.Options{
		Program:    "/usr/local/bin/gosnap",
		Arguments:  []string{"--max-pause=50ms"},
		Folder:     "/var/spool/shop",
		Every:      time.Minute,
		Timeout:    20 * time.Second,
		Attributes: []gosnap.Option{gosnap.Attribute("version", "1.4.2")},
		Logger:     log.New(os.Stderr, "", log.LstdFlags),
	})
	defer gosnap.Configure(gosnap.Options{})
	// Output:
}

func ExampleTrace() {
	ctx := context.Background()
	err := errors.New("the order has no customer")
	if _, problem := gosnap.Trace(ctx, err, gosnap.Attribute("order", "4711")); problem != nil {
		fmt.Println("no snapshot")
	}
	// Output: no snapshot
}

func ExampleRecover() {
	defer func() { fmt.Println("recovered:", recover()) }()
	defer gosnap.Recover()
	panic("as ever")
	// Output: recovered: as ever
}

func ExampleRegister() {
	// With SIGUSR1 the program only goes on; after SIGQUIT it ends, with the stacks of all
	// goroutines on standard error.
	gosnap.Register(syscall.SIGUSR1, syscall.SIGQUIT)
	// Output:
}

func ExampleMonitor() {
	if err := gosnap.Monitor(); err != nil {
		fmt.Println("no monitor")
	}
	// Output: no monitor
}

func ExampleByType() {
	options := gosnap.Options{
		Program: "/nowhere/gosnap",
		Classifiers: []gosnap.Classifier{
			gosnap.ByTarget(gosnap.Worthless, io.EOF, context.Canceled),
			gosnap.ByType(gosnap.Worthless, &os.PathError{}),
		},
	}
	gosnap.Configure(options)
	defer gosnap.Configure(gosnap.Options{})
	_, err := os.Open("/nowhere/at/all")
	_, problem := gosnap.Trace(context.Background(), fmt.Errorf("starting: %w", err))
	fmt.Println(problem == gosnap.ErrWorthless)
	// Output: true
}

func ExamplePanicValue() {
	gosnap.Configure(gosnap.Options{
		Program: "/nowhere/gosnap",
		Worthless: []gosnap.WorthlessPanic{
			gosnap.PanicValue(io.ErrClosedPipe),
			gosnap.PanicType(context.DeadlineExceeded),
		},
	})
	defer gosnap.Configure(gosnap.Options{})
	// Output:
}

func ExampleHTTP() {
	gosnap.Configure(gosnap.Options{
		Program: "/nowhere/gosnap",
		Sink: gosnap.HTTP{
			URL:    "https://crashes.example/snapshots",
			Header: []string{"Authorization: Bearer " + os.Getenv("CRASH_TOKEN")},
		},
	})
	defer gosnap.Configure(gosnap.Options{})
	// Output:
}

// archive is a Sink that keeps one document, the latest.
type archive struct{ gosnap.File }

func (archive) Deliver(_ context.Context, snapshot gosnap.Snapshot) error {
	return os.Rename(snapshot.Path, "/var/lib/shop/latest.json.zst")
}

func ExampleSink() {
	gosnap.Configure(gosnap.Options{Program: "/nowhere/gosnap", Sink: archive{}})
	defer gosnap.Configure(gosnap.Options{})
	// Output:
}
