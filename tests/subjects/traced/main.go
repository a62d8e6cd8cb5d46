// SPDX-License-Identifier: Apache-2.0

// Subject whose goroutines work for traces, and for what has ended: each says what its contexts
// are.
package main

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"strings"
	"subjects/truth"
	"time"

	dd2 "github.com/DataDog/dd-trace-go/v2/ddtrace/tracer"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	dd1 "gopkg.in/DataDog/dd-trace-go.v1/ddtrace/tracer"
)

type object = map[string]interface{}

var (
	never = make(chan int)
	kept  []interface{}
)

//go:noinline
func keep(values ...interface{}) { kept = append(kept, values...) }

var traceID = [16]byte{0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36}

func spanID(n uint64) (ret [8]byte) {
	binary.BigEndian.PutUint64(ret[:], n)
	return ret
}

//go:noinline
func works(ctx context.Context, name string) {
	truth.Below(name, "chan receive")
	<-never
	keep(ctx, name)
}

//go:noinline
func handles(r *http.Request, name string) {
	truth.Below(name, "chan receive")
	<-never
	keep(r, name)
}

// session is what programs often pass instead of a context.
type session struct {
	name string
	ctx  context.Context
}

//go:noinline
func (s *session) serves(name string) {
	truth.Below(name, "chan receive")
	<-never
	keep(s, name)
}

// swamped has more values than a goroutine may show before the frame with the context.
//
//go:noinline
func swamped(depth int, words [64]string, name string, last context.Context) {
	if depth > 0 {
		for i := range words {
			words[i] = strings.Repeat("x", 500)
		}
		swamped(depth-1, words, name, nil)
		keep(words, name, last)
		return
	}
	truth.Below(name, "chan receive")
	<-never
	keep(words, name)
}

func traced(span uint64, sampled interface{}) object {
	id := spanID(span)
	said := object{"trace_id": hex.EncodeToString(traceID[:]), "span_id": hex.EncodeToString(id[:])}
	if sampled != nil {
		said["sampled"] = sampled
	}
	return said
}

func main() {
	background := context.Background()
	remote := trace.NewSpanContext(traceID, spanID(1), 0)
	started := sdk.Start(background, "GET /", remote, trace.NewSpanContext(traceID, spanID(2), 1))
	inner, stop := context.WithCancel(context.WithValue(started, "user", 7))
	request, _ := http.NewRequest("GET", "http://example.org/", nil)
	over, end := context.WithCancel(background)
	end()
	late, done := context.WithTimeout(context.WithValue(over, 1, 2), time.Hour)
	expired, finish := context.WithDeadline(inner, time.Now().Add(-time.Minute))
	keep(stop, done, finish)
	noop := trace.ContextWithSpanContext(background, trace.SpanContext{})

	truth.Say(object{"traces": object{
		"nothing": nil, "noop": nil, "ended": nil, "ended above": nil,
		"remote":      traced(1, false),
		"recording":   traced(2, true),
		"deep":        traced(2, true),
		"request":     traced(2, true),
		"session":     traced(2, true),
		"swamped":     traced(2, true),
		"late":        traced(2, true),
		"datadog 1":   traced(3, true),
		"datadog 1 -": traced(3, false),
		"datadog 2":   traced(4, nil),
	}, "over": object{"ended": over.Err().Error(), "ended above": late.Err().Error(),
		"late": expired.Err().Error()}})
	go works(background, "nothing")
	go works(noop, "noop")
	go works(over, "ended")
	go works(late, "ended above")
	go works(trace.ContextWithSpanContext(background, remote), "remote")
	go works(started, "recording")
	go works(inner, "deep")
	go works(expired, "late")
	go handles(request.WithContext(inner), "request")
	go (&session{"s", inner}).serves("session")
	go swamped(12, [64]string{}, "swamped", inner)
	go works(dd1.ContextWithSpan(background, traceID, 3, 2), "datadog 1")
	go works(dd1.ContextWithSpan(background, traceID, 3, -1), "datadog 1 -")
	go works(dd2.ContextWithSpan(background, traceID, 4), "datadog 2")
	truth.Await(14)
	truth.Ready()
	truth.EndWithStdin()
	select {}
}
