// SPDX-License-Identifier: Apache-2.0
// shapes.js - takes what a document says into the shapes that the page knows, as anybody may have written it:
// lists are arrays of what belongs into them, else empty; another member that is of the wrong kind is absent.

const TEXT = (value) => value !== null && (typeof value !== "object" || typeof value.hex === "string");
const NUMBER = (value) => typeof value === "number";
const COUNT = (value) => typeof value === "number" && value >= 0;
const NAME = (value) => typeof value === "number" || typeof value === "string";
const WORD = (value) => value === null || NAME(value);

function isObject(value) {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

// An object with these members that are texts.
function withTexts(...names) {
	return Object.fromEntries(names.map((name) => [name, TEXT]));
}

function withCounts(...names) {
	return Object.fromEntries(names.map((name) => [name, COUNT]));
}

const VALUE = {
	...withTexts("type", "kind", "text", "dynamic_type", "function", "limited_by", "unreadable", "redacted", "name"),
	...withTexts("value", "real", "imag", "encoding", "bytes", "seen", "to"),
	...withCounts("len", "cap", "zeros", "skipped", "omitted", "referrers", "object"),
	bytes: (value) => typeof value === "string",
	goroutine: NAME,
	receivers: [NAME],
};
Object.assign(VALUE, {
	fields: [VALUE],
	elements: [VALUE],
	entries: [{ key: VALUE, value: VALUE }],
	senders: [{ goroutine: NAME, value: VALUE }],
	captures: [VALUE],
	contexts: [{ ...withTexts("kind", "type", "deadline"), error: VALUE, cause: VALUE, key: VALUE, value: VALUE }],
	dynamic_value: VALUE,
	target: VALUE,
});
const PLACE = { ...withTexts("function", "file", "object_file", "pc", "kind", "found_by", "stack"), line: NUMBER };
const FRAME = {
	...PLACE,
	...withTexts("values_unreadable", "values_omitted_by", "locals_unreadable"),
	arguments: [VALUE],
	locals: [VALUE],
	repeated: withCounts("frames", "times"),
};
const LABEL = withTexts("key", "value");
const UNWIND = withTexts("status", "reason");
const WAIT_OF_ONE = {
	...withTexts("kind", "operation", "address", "protocol", "local", "remote", "file", "state", "when", "unreadable"),
	...withCounts("len", "cap", "fd"),
	counter: NUMBER,
};

const GOROUTINE = {
	...withTexts("context_error", "unreliable_reason", "address"),
	frames: [FRAME],
	waiting_for: { ...WAIT_OF_ONE, cases: [WAIT_OF_ONE] },
	panics: [withTexts("type", "printed", "unreadable")],
	defers: [{ ...PLACE, unreadable: TEXT }],
	created_by: { ...PLACE, goroutine: NAME },
	ancestors: [{ goroutine: NAME, frames: [FRAME], created_by: PLACE, omitted: COUNT, unreadable: TEXT }],
	stack: withCounts("used_bytes", "size_bytes"),
	unwind: UNWIND,
	trace: withTexts("trace_id", "span_id"),
	bubble: { ...withTexts("id", "address"), total: COUNT },
	raw_stack: {
		...withTexts("address", "omitted_by"),
		words: [WORD],
		frames: [withTexts("function", "low", "return_address_at", "frame_pointer_at")],
		places: [withTexts("address", "kind", "name", "type")],
		code: [withTexts("address", "function")],
		registers: {},
	},
};

const THREAD = {
	...withTexts("name", "state", "stack_kind", "wchan"),
	...withCounts("cpu_ns", "asleep_ns"),
	id: NAME,
	m: NAME,
	p: NAME,
	goroutine: NAME,
	signal: withTexts("name"),
	syscall: { number: NAME, arguments: [TEXT] },
	unwind: UNWIND,
	registers: {},
	frames: [FRAME],
};

const AMOUNT = withCounts("bytes", "objects");
const QUEUE = { length: COUNT, goroutines: [NAME], unreadable: TEXT };
const RUNTIME = {
	...withTexts("processors_unreadable", "machines_unreadable", "unreadable"),
	scheduler: {
		...withCounts("gomaxprocs", "idle_processors", "machines", "idle_machines", "spinning_machines"),
		...withCounts("processors_to_stop"),
		run_queue: QUEUE,
		unreadable: TEXT,
	},
	processors: [
		{
			...withTexts("status", "unreadable", "mark_worker"),
			...withCounts("unchanged_ns", "timers"),
			id: NAME,
			machine: NAME,
			run_next: NAME,
			run_queue: QUEUE,
		},
	],
	machines: [{ id: NAME, goroutine: NAME, thread: NAME }],
	gc: {
		...withTexts("phase", "unreadable"),
		...withCounts("cycles", "live_bytes", "goal_bytes", "memory_limit_bytes", "cpu_millionths"),
		...withCounts("finalizers", "cleanups"),
		percent: NUMBER,
		pauses: [withCounts("pause_ns")],
	},
	memory: {
		...withCounts("sys_bytes", "heap_inuse_bytes", "heap_idle_bytes", "heap_released_bytes", "stack_inuse_bytes"),
		...withCounts("mspan_inuse_bytes", "mcache_inuse_bytes", "buck_hash_sys_bytes", "gc_sys_bytes"),
		...withCounts("other_sys_bytes"),
		unreadable: TEXT,
	},
	heap: {
		...withTexts("unreadable", "keepers_omitted"),
		live: AMOUNT,
		garbage: AMOUNT,
		types: [{ type: TEXT, live: AMOUNT, garbage: AMOUNT, retained: AMOUNT }],
		retained: [{ ...withTexts("name", "variable"), goroutine: NAME, alone: AMOUNT }],
		keepers: [{ ...withTexts("address", "type"), bytes: COUNT, retained: AMOUNT }],
	},
	timers: {
		count: COUNT,
		next: [{ ...withTexts("when", "calls", "function"), period_ns: COUNT, goroutine: NAME }],
	},
	pools: [{ ...withTexts("address", "new"), ...withCounts("objects", "victims") }],
};

const HEAD = {
	snapshot: { ...withTexts("id", "host", "taken_at"), options: {} },
	process: { exe: TEXT, pid: NAME, rss_bytes: COUNT },
	go: withTexts("module", "version"),
	trigger: { goroutine: NAME },
	verdict: { ...withTexts("outcome", "text", "checked", "next"), not_checked: [TEXT], facts: [TEXT] },
	verification: {},
	end: {},
	fault: {
		...withTexts("verdict", "message", "cause", "variable"),
		goroutine: NAME,
		place: { ...PLACE, frame: COUNT },
		caller: PLACE,
		others: [NAME],
		signal: withTexts("name", "address"),
	},
	runtime: { ...RUNTIME, other_runtimes: [RUNTIME] },
	findings: [{ ...withTexts("severity", "kind", "text", "advice"), goroutines: [NAME], addresses: [TEXT] }],
	waits: [
		{
			...withTexts("address", "kind"),
			waiters: COUNT,
			goroutines: [NAME],
			partners: [{ ...withTexts("holds", "operation", "ahead"), goroutine: NAME, locked_at: PLACE }],
		},
	],
	groups: [{ id: NAME, fingerprint: TEXT, count: COUNT, frames: [COUNT] }],
	threads: [THREAD],
	warnings: [withTexts("where", "what")],
};

// wrong: a set, to which the names of members that are not as they should be are added.
function taken(shape, value, wrong, name) {
	const isList = Array.isArray(shape);
	const fits = isList ? Array.isArray(value) : typeof shape === "function" ? shape(value) : isObject(value);
	if (!fits) {
		wrong.add(name);
		return isList ? [] : undefined;
	}
	if (isList) return takenList(shape[0], value, wrong, name);
	if (typeof shape !== "function")
		for (const member of Object.keys(shape))
			if (value[member] !== undefined)
				value[member] = taken(shape[member], value[member], wrong, name ? `${name}.${member}` : member);
	return value;
}

function takenList(shape, values, wrong, name) {
	return values.map((value) => taken(shape, value, wrong, name)).filter((value) => value !== undefined);
}

export function takeHead(head, wrong) {
	return taken(HEAD, head, wrong, "");
}

// A text that rows or groups refer to by its number: a Text, a frame, or the labels of a goroutine.
export function takeShared(value, wrong) {
	if (Array.isArray(value)) return takenList(LABEL, value, wrong, "labels");
	return isObject(value) ? taken(FRAME, value, wrong, "frames") : value;
}

// null: the page does not have it.
export function takeGoroutine(goroutine, wrong) {
	return (goroutine && taken(GOROUTINE, goroutine, wrong, "goroutine")) ?? null;
}

export function takeValue(value) {
	return (value && taken(VALUE, value, new Set(), "value")) ?? null;
}
