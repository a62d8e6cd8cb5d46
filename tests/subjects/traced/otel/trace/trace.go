// SPDX-License-Identifier: Apache-2.0

// Package trace looks like the one of OpenTelemetry 1.1.0 (Debian's
// golang-opentelemetry-otel-dev): the names and fields of what contexts carry.
package trace

import "context"

type TraceID [16]byte
type SpanID [8]byte
type TraceFlags byte

type TraceState struct{ list []struct{ Key, Value string } }

type SpanContext struct {
	traceID    TraceID
	spanID     SpanID
	traceFlags TraceFlags
	traceState TraceState
	remote     bool
}

func NewSpanContext(t TraceID, s SpanID, flags TraceFlags) SpanContext {
	return SpanContext{traceID: t, spanID: s, traceFlags: flags}
}

type Span interface{ SpanContext() SpanContext }

type traceContextKeyType int

const currentSpanKey traceContextKeyType = iota

func ContextWithSpan(parent context.Context, span Span) context.Context {
	return context.WithValue(parent, currentSpanKey, span)
}

type nonRecordingSpan struct{ sc SpanContext }

func (s nonRecordingSpan) SpanContext() SpanContext { return s.sc }

func ContextWithSpanContext(parent context.Context, sc SpanContext) context.Context {
	return ContextWithSpan(parent, nonRecordingSpan{sc: sc})
}
