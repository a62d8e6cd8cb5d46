// SPDX-License-Identifier: Apache-2.0

// Package tracer looks like version 1 of Datadog's: the fields of spans and their contexts.
package tracer

import (
	"context"
	"sync"
)

type contextKey struct{}

type traceID [16]byte

type span struct {
	sync.RWMutex
	Name    string
	SpanID  uint64
	TraceID uint64
	context *spanContext
}

type trace struct {
	mu       sync.RWMutex
	spans    []*span
	priority *float64
}

type spanContext struct {
	updated bool
	trace   *trace
	span    *span
	traceID traceID
	spanID  uint64
}

func ContextWithSpan(ctx context.Context, id [16]byte, spanID uint64, priority float64) context.Context {
	s := &span{Name: "web.request", SpanID: spanID}
	s.context = &spanContext{span: s, traceID: id, spanID: spanID,
		trace: &trace{priority: &priority}}
	return context.WithValue(ctx, contextKey{}, s)
}
