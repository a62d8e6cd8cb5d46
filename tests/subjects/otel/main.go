// SPDX-License-Identifier: Apache-2.0

// Subject whose goroutines work for spans of OpenTelemetry's own SDK, each in another way: it says
// which one is theirs, as the SDK has it. Built with Debian's golang-opentelemetry-otel-dev.
package main

import (
	"context"
	"net/http"
	"subjects/truth"
	"sync"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

type object = map[string]interface{}

var (
	never   = make(chan int)
	kept    []interface{}
	mu      sync.Mutex
	traces  = object{}
	sampled = provider(sdk.AlwaysSample())
	dropped = provider(sdk.NeverSample())
	either  = provider(sdk.ParentBased(sdk.NeverSample()))
)

func provider(sampler sdk.Sampler) trace.Tracer {
	return sdk.NewTracerProvider(sdk.WithSampler(sampler)).Tracer("subject")
}

//go:noinline
func keep(values ...interface{}) { kept = append(kept, values...) }

func start(tracer trace.Tracer, parent context.Context) context.Context {
	ctx, span := tracer.Start(parent, "work")
	keep(span)
	return ctx
}

// states says what the SDK finds in the context that the goroutine of this name works with.
func states(name string, ctx context.Context) {
	said := trace.SpanContextFromContext(ctx)
	mu.Lock()
	defer mu.Unlock()
	if !said.IsValid() {
		traces[name] = nil
		return
	}
	traces[name] = object{"trace_id": said.TraceID().String(), "span_id": said.SpanID().String(),
		"sampled": said.IsSampled()}
}

func begin(name string, ctx context.Context, f func(context.Context, string)) {
	states(name, ctx)
	go f(ctx, name)
}

//go:noinline
func works(ctx context.Context, name string) {
	truth.Below(name, "chan receive")
	<-never
	keep(ctx, name)
}

// waits needs its context no more.
//
//go:noinline
func waits(ctx context.Context, name string) {
	truth.Below(name, "chan receive")
	<-never
}

// What starts a span says so itself.
//
//go:noinline
func calls(ctx context.Context, name string) {
	inner := start(sampled, ctx)
	states(name, inner)
	works(inner, name)
	keep(ctx)
}

//go:noinline
func holdsBoth(ctx context.Context, name string) {
	inner := start(sampled, ctx)
	states(name, inner)
	truth.Below(name, "chan receive")
	<-never
	keep(ctx, inner, name)
}

//go:noinline
func reassigns(ctx context.Context, name string) {
	ctx, span := sampled.Start(ctx, "inner")
	states(name, ctx)
	truth.Below(name, "chan receive")
	<-never
	keep(ctx, span, name)
}

//go:noinline
func startsBelow(ctx context.Context, name string) {
	_, span := sampled.Start(ctx, "inner")
	states(name, ctx)
	truth.Below(name, "chan receive")
	<-never
	keep(ctx, span, name)
}

type session struct {
	name string
	ctx  context.Context
}

type connection struct {
	id      int
	session session
}

type server struct {
	id      int
	session *session
}

// own is a context of a kind that package context does not know.
type own struct {
	context.Context
	id int
}

//go:noinline
func (s *session) serves(name string) {
	truth.Below(name, "chan receive")
	<-never
	keep(s, name)
}

//go:noinline
func (c *connection) serves(name string) {
	truth.Below(name, "chan receive")
	<-never
	keep(c, name)
}

//go:noinline
func (s *server) serves(name string) {
	truth.Below(name, "chan receive")
	<-never
	keep(s, name)
}

//go:noinline
func handles(r *http.Request, name string) {
	truth.Below(name, "chan receive")
	<-never
	keep(r, name)
}

//go:noinline
func worksForAll(all []context.Context, name string) {
	truth.Below(name, "chan receive")
	<-never
	keep(all, name)
}

func contexts() {
	background := context.Background()
	parent := start(sampled, background)
	value := context.WithValue(parent, "user", 7)
	cancelled, cancel := context.WithCancel(value)
	timed, stop := context.WithTimeout(context.WithValue(cancelled, "order", 8), time.Hour)
	ended, span := sampled.Start(background, "over")
	span.End()
	keep(cancel, stop)
	far := trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{0x4b, 0xf9, 15: 0x36}, SpanID: trace.SpanID{7: 1},
		TraceFlags: trace.FlagsSampled})
	remote := trace.ContextWithRemoteSpanContext(background, far)

	begin("nothing", background, works)
	begin("no provider", start(trace.NewNoopTracerProvider().Tracer(""), background), works)
	begin("sampled", parent, works)
	begin("not sampled", start(dropped, background), works)
	begin("derived", timed, works)
	begin("ended", ended, works)
	begin("remote", remote, works)
	begin("remote, not sampled",
		trace.ContextWithRemoteSpanContext(background, far.WithTraceFlags(0)), works)
	begin("child of remote", start(either, remote), works)
	begin("child", start(sampled, timed), works)
	begin("child, not sampled", start(dropped, timed), works)
	begin("own kind", &own{timed, 1}, works)
	begin("argument", timed, waits)
	for name, f := range map[string]func(context.Context, string){
		"child in a call": calls, "child in a variable": holdsBoth,
		"child in the argument": reassigns, "child without context": startsBelow} {
		go f(timed, name)
	}
}

func holders() {
	ctx, cancel := context.WithCancel(start(sampled, context.Background()))
	keep(cancel)
	request, _ := http.NewRequest("GET", "http://example.org/", nil)
	for _, name := range []string{"field", "field of a field", "field behind a field", "request",
		"captured", "slice"} {
		states(name, ctx)
	}
	go (&session{"s", ctx}).serves("field")
	go (&connection{1, session{"s", ctx}}).serves("field of a field")
	go (&server{1, &session{"s", ctx}}).serves("field behind a field")
	go handles(request.WithContext(ctx), "request")
	go worksForAll([]context.Context{context.Background(), ctx}, "slice")
	go func() {
		truth.Below("captured", "chan receive")
		<-never
		keep(ctx)
	}()
}

func main() {
	contexts()
	holders()
	truth.Await(23)
	truth.Say(object{"traces": traces})
	truth.Ready()
	truth.EndWithStdin()
	select {}
}
