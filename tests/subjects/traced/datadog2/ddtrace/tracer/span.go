// SPDX-License-Identifier: Apache-2.0

// Package tracer looks like version 2 of Datadog's: the fields of spans and their contexts.
package tracer

import (
	"context"
	"sync"
)

type contextKey struct{}

type traceID [16]byte

type Span struct {
	sync.RWMutex
	name    string
	spanID  uint64
	traceID uint64
	context *SpanContext
}

type trace struct {
	mu       sync.RWMutex
	spans    []*Span
	priority *float64
}

type SpanContext struct {
	updated bool
	trace   *trace
	span    *Span
	traceID traceID
	spanID  uint64
}

func ContextWithSpan(ctx context.Context, id [16]byte, spanID uint64) context.Context {
	s := &Span{name: "web.request", spanID: spanID}
	s.context = &SpanContext{span: s, traceID: id, spanID: spanID, trace: &trace{}}
	return context.WithValue(ctx, contextKey{}, s)
}
