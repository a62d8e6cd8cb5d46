// SPDX-License-Identifier: Apache-2.0

//go:build linux && go1.20
// +build linux,go1.20

package gosnap

import (
	"fmt"
	"io"
	"testing"
)

// several is what errors.Join makes. Before Go 1.20, vet takes it for a mistake.
type several []error

func (several) Error() string     { return "several" }
func (s several) Unwrap() []error { return s }

func TestClassOfJoined(t *testing.T) {
	classify := ByType(Worthless, &refusal{})
	for _, c := range []struct {
		err  error
		want Class
	}{
		{several{io.EOF, fmt.Errorf("x: %w", &refusal{})}, Worthless},
		{fmt.Errorf("x: %w", several{several{nil, &refusal{}}}), Worthless},
		{several{io.EOF, nil}, Unknown}, {several(nil), Unknown}, {nil, Unknown},
	} {
		if got := classify(c.err); got != c.want {
			t.Errorf("%#v: %v", c.err, got)
		}
	}
}
