// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Options say how snapshots are taken. The zero value of each field is its default.
type Options struct {
	// Program is the path of gosnap. By default it is looked for in $PATH.
	Program string

	// Arguments are more options of gosnap(1), such as "--stacks" or "--max-pause=50ms".
	Arguments []string

	// Folder is where documents go. It is created with mode 0700, the documents with 0600. By
	// default it is /var/lib/gosnap for root, and otherwise gosnap in $XDG_STATE_HOME or in
	// ~/.local/state. Nothing removes old documents.
	Folder string

	// Sink says what becomes of a document once it is written. By default it stays in Folder.
	Sink Sink

	// Classifiers decide which errors are worth a snapshot: the first that knows an error. An
	// error that none knows is worth one. They see what Trace is given.
	Classifiers []Classifier

	// Worthless are panics that are worth no snapshot, of which the first 8 count, both for Recover
	// and Monitor. It is no function: the package cannot see the value of a panic without
	// recovering it, but gosnap can. So the program is stopped for a moment all the same, and
	// Every counts it.
	Worthless []WorthlessPanic

	// Every is the least time between the beginnings of two snapshots. The default is 3 seconds;
	// a negative one is none. Only one is taken at a time. Dropped counts the others.
	Every time.Duration

	// Timeout is how long a snapshot may take, after which the program goes on, and how long a Sink
	// may. The default is two minutes, the most a day.
	Timeout time.Duration

	// Asynchronous makes Trace return at once. Recover always waits: the program may end when it
	// returns.
	Asynchronous bool

	// Attributes are in every document, before those of a call.
	Attributes []Option

	// SignalsHandled says that the program itself handles the signals given to Register, which
	// are not sent again then.
	SignalsHandled bool

	// Logger is told what is done, and what fails. By default nobody is.
	Logger Logger
}

// A Logger takes lines of text; a *log.Logger is one. It may be called by several goroutines at
// once.
type Logger interface {
	Printf(format string, arguments ...interface{})
}

// A Snapshot is one that was taken.
type Snapshot struct {
	// Path is the document's file, compressed by zstd: "gosnap show" and "gosnap json" read it.
	Path string
	// Status is the exit status of gosnap(1): 0, or 1 and 3 for documents that lack something.
	Status int
}

var (
	// ErrUnsupported is returned on systems other than Linux.
	ErrUnsupported = errors.New("gosnap: this system is not supported")
	// ErrDropped is returned when another snapshot is being taken, or was a moment ago.
	ErrDropped = errors.New("gosnap: dropped: another snapshot was taken just now")
	// ErrWorthless is returned when an error is worth no snapshot, as Options say.
	ErrWorthless = errors.New("gosnap: the error is worth no snapshot")
	// ErrTimeout is returned when gosnap took longer than Options.Timeout.
	ErrTimeout = errors.New("gosnap: no snapshot within the timeout")

	errNoFolder = errors.New("gosnap: there is no home to put snapshots in: set Options.Folder")
)

const (
	defaultEvery   = 3 * time.Second
	defaultTimeout = 2 * time.Minute
	longestTimeout = 24 * time.Hour
	greetingLimit  = 10 * time.Second

	attributesMost    = 256 // that gosnap takes
	attributeBytesMax = 4096
)

var configuration struct {
	sync.Mutex
	options Options
}

// Configure sets the options of all snapshots from now on. Without it, all have their defaults.
func Configure(options Options) {
	configuration.Lock()
	defer configuration.Unlock()
	configuration.options = options
	setWorthless(options.Worthless)
}

func configured() Options {
	configuration.Lock()
	options := configuration.options
	configuration.Unlock()
	if options.Program == "" {
		options.Program = "gosnap"
	}
	if options.Every == 0 {
		options.Every = defaultEvery
	}
	if options.Timeout <= 0 {
		options.Timeout = defaultTimeout
	}
	if options.Timeout > longestTimeout {
		options.Timeout = longestTimeout
	}
	if options.Folder == "" {
		options.Folder = defaultFolder()
	}
	return options
}

func defaultFolder() string {
	if os.Geteuid() == 0 {
		return "/var/lib/gosnap"
	}
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "gosnap")
	}
	if home := os.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "gosnap")
	}
	return ""
}

// greetingTimeout is for a child that cannot be gosnap.
func (options *Options) greetingTimeout() time.Duration {
	if options.Timeout < greetingLimit {
		return options.Timeout
	}
	return greetingLimit
}

// log must not fail: it is called while the program dies.
func (options *Options) log(format string, arguments ...interface{}) {
	if options.Logger == nil {
		return
	}
	defer func() { _ = recover() }()
	options.Logger.Printf("gosnap: "+format, arguments...)
}

// An Option is something that is said of one snapshot.
type Option func(*request)

// Attribute adds to the document what the program knows, such as which request it served. It is
// in trigger.attributes; secrets are redacted by the rules for variables that are called key. One of
// more than 4096 bytes is cut, and a document has no more than 256.
func Attribute(key, value string) Option {
	// A program's words, of any bytes: not a reason to have no snapshot.
	if key == "" {
		key = "?"
	}
	text := cut(key, attributeBytesMax/2) + "=" + value
	text = cut(strings.Replace(text, "\x00", "\ufffd", -1), attributeBytesMax)
	return func(r *request) {
		if len(r.attributes) < attributesMost {
			r.attributes = append(r.attributes, text)
		}
	}
}

// cut keeps whole characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// A request is what Trace, Recover, Register and Monitor ask gosnap for.
type request struct {
	trigger       string // of gosnap --trigger
	attributes    []string
	standardError bool
	notes         *notes   // of panics that are worth nothing; nil: none are
	panicked      *panicID // what it turned out to be of
}

func newRequest(options *Options, trigger string, more []Option) *request {
	r := &request{trigger: trigger}
	for _, list := range [][]Option{options.Attributes, more} {
		for _, option := range list {
			if option != nil {
				option(r)
			}
		}
	}
	return r
}
