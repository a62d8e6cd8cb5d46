// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"fmt"
	"sync"
	"syscall"
)

var monitored struct {
	sync.Mutex
	child *child
}

func monitor(options *Options, r *request) (err error) {
	// A Sink is code of the program.
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("gosnap: %v", reason)
		}
	}()
	if !canSetCrashOutput && !r.standardError {
		return errNeedsStandardError
	}
	monitored.Lock()
	defer monitored.Unlock()
	if monitored.child != nil && (r.standardError || !monitored.child.hasEnded()) {
		return errMonitored
	}
	monitored.child = nil
	r.notes = &noted
	c, err := startChild(options, r)
	if err != nil {
		options.log("no monitor: %v", err)
		return err
	}
	// What the runtime writes must keep it waiting.
	if err = syscall.SetNonblock(c.pipe, false); err == nil {
		setMonitorTracer(c.pid) // from here on, we may die
		err = c.connect(r.standardError)
	}
	if err != nil {
		setMonitorTracer(0)
		options.log("no monitor: %v", err)
		c.kill()
		return err
	}
	monitored.child = c
	return nil
}

func (c *child) connect(standardError bool) error {
	if standardError {
		return c.connectStandardError()
	}
	err := connectCrashOutput(c.pipe)
	if err == nil {
		c.pipe = -1
		c.said.close()
		c.complaints.close()
	}
	return err
}
