// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"context"
	"net/url"
	"strings"
)

// A Sink says what becomes of documents once they are written. Files and HTTP are left to the
// child, which has time after the program died; other sinks are called in the program.
type Sink interface {
	// Arguments are options of gosnap-monitor(1) by which the child delivers documents itself.
	// They do not appear in command lines.
	Arguments() ([]string, error)

	// Deliver is called with each document, in the program and while it lives: not with those
	// of Monitor. The sink may move or remove the file.
	Deliver(ctx context.Context, snapshot Snapshot) error
}

// File is the Sink that leaves documents in Options.Folder.
type File struct{}

// Arguments returns none.
func (File) Arguments() ([]string, error) { return nil, nil }

// Deliver has nothing to do.
func (File) Deliver(context.Context, Snapshot) error { return nil }

// HTTP is the Sink that sends documents to a server, with Content-Type application/json and
// Content-Encoding zstd. The child does it by curl(1), whether or not the program lives. If the
// server does not answer with a status of 2xx, the child tries again: after a second, and then twice
// as long each time. A document that was sent is removed from Options.Folder; one that was not stays.
type HTTP struct {
	// Put is true for the method PUT instead of POST.
	Put bool
	// URL begins with http:// or https://.
	URL string
	// Header has lines like "Authorization: Bearer ...".
	Header []string
	// Attempts is 8 by default, which takes two minutes.
	Attempts int
}

// Arguments says where to send documents.
func (h HTTP) Arguments() ([]string, error) {
	if _, err := url.Parse(h.URL); err != nil {
		return nil, err
	}
	method := "--post="
	if h.Put {
		method = "--put="
	}
	arguments := []string{method + h.URL}
	for _, line := range h.Header {
		arguments = append(arguments, "--header="+line)
	}
	if h.Attempts > 0 {
		arguments = append(arguments, "--attempts="+itoa(h.Attempts))
	}
	return arguments, nil
}

// Deliver has nothing to do: the child does it.
func (HTTP) Deliver(context.Context, Snapshot) error { return nil }

// hasNUL finds arguments that cannot be passed on.
func hasNUL(arguments []string) bool {
	for _, argument := range arguments {
		if argument == "" || strings.IndexByte(argument, 0) >= 0 {
			return true
		}
	}
	return false
}
