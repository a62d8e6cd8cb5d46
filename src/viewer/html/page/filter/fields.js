// SPDX-License-Identifier: Apache-2.0
// fields.js - what conditions can be about, as src/viewer/filter/fields.def has it, and where a page has that.
// values(subject) are those of { model, row, element, frame, findings, label }; undefined: they are in the element
// of a goroutine, which was not given. mayBeMore(subject): the page has no room for all of them. Addresses are bigints, and a label that is no text is null.

export const FIELD_TYPES = {
	text: ["text", '"..."'],
	number: ["a number", "12"],
	duration: ["a duration", "5m"],
	size: ["a size", "64KiB"],
	address: ["an address", "0xc000012345"],
	bool: ["true or false", "true"],
	any: ["a value", "12"],
};

const isThere = (value) => value !== undefined;
const listOf = (value) => (value === undefined ? [] : [value]);

export function wordsOf(value) {
	const words = typeof value === "object" ? value?.hex : value;
	return typeof words === "string" ? words : undefined;
}

export function addressOf(value) {
	if (typeof value !== "string" || !/^0x[\da-f]{1,16}$/.test(value)) return undefined;
	return BigInt(value) || undefined;
}

export const asNumber = (value) => (Number.isInteger(value) ? value : undefined);
const READ_AS = {
	text: wordsOf,
	number: asNumber,
	duration: asNumber,
	size: asNumber,
	address: addressOf,
	bool: (value) => (typeof value === "boolean" ? value : undefined),
};

const inRow = (column, least) => (s) => {
	const value = s.model.columns[column][s.row];
	return value >= least ? [value] : [];
};

// Bytes that are no text are none here.
function plainText(s, column) {
	const text = s.model.texts[s.model.columns[column][s.row]];
	return typeof text === "string" ? text : undefined;
}

const rowText = (column) => (s) => listOf(plainText(s, column));

function reasonOf(s) {
	return plainText(s, "status") === "waiting" ? plainText(s, "wait_reason") : undefined;
}

const notWaiting = (s) => plainText(s, "wait_kind") === undefined;

// A member of the goroutine, or of a member of it.
const inElement = (type, member, inner) => (s) => {
	if (!s.element) return undefined;
	const value = inner ? s.element[member]?.[inner] : s.element[member];
	return listOf(value === undefined ? value : READ_AS[type](value));
};

const inWait = (type, member) => {
	const values = inElement(type, "waiting_for", member);
	return (s) => (notWaiting(s) ? [] : values(s));
};

function isIncomplete(s) {
	const status = s.element?.unwind?.status;
	return s.element && [isThere(status) && status !== "complete"];
}

// A page may have no room for the group itself.
function groupOf(s) {
	return s.model.totals.groups === undefined ? listOf(s.model.group(s.row)?.id) : inRow("group", 0)(s);
}

// The snapshot has its program counter if the function is unknown.
function creatorOf(s) {
	const creator = plainText(s, "created_by");
	return creator?.startsWith("0x") ? [] : listOf(creator);
}

const waitedFor = (s) => [s.element.waiting_for, ...[s.element.waiting_for?.cases ?? []].flat()];

function wordsOfWait(s) {
	if (notWaiting(s)) return [];
	if (!s.element) return undefined;
	const { kind, protocol, local, remote, file } = s.element.waiting_for ?? {};
	return [kind, protocol, local, remote, file, ...waitedFor(s).map((what) => what?.address)]
		.map(wordsOf)
		.filter(isThere);
}

function waitAddresses(s) {
	if (plainText(s, "wait_kind") !== "select") return listOf(addressOf(plainText(s, "wait_address")));
	return s.element && waitedFor(s).map((what) => addressOf(what?.address)).filter(isThere);
}

function labelValues(s) {
	return s.model
		.labels(s.row)
		.filter((label) => wordsOf(label.key) === s.label)
		.map((label) => wordsOf(label.value) ?? null);
}

const inFrame = (type, member) => (s) => {
	const value = s.frame[member];
	return listOf(value === undefined ? value : READ_AS[type](value));
};
const frameTruth = (member) => (s) => [s.frame[member] === true];
const functionWords = (s) => (typeof s.frame.function === "string" ? s.frame.function : "");

// What is before the first dot behind the last slash; not of type arguments.
function packageOf(s) {
	const words = functionWords(s),
		name = words.split(/[[(]/, 1)[0],
		dot = words.indexOf(".", Math.max(0, name.lastIndexOf("/")));
	return dot > 0 ? [words.slice(0, dot)] : [];
}

function isOwn(s) {
	const words = functionWords(s),
		module = s.model.head.go?.module;
	const inModule = Boolean(module) && words.startsWith(module) && /^[./]/.test(words.slice(module.length));
	return [s.frame.language !== "c" && (words.startsWith("main.") || inModule)];
}

const positive = (values) => (s) => values(s)?.filter((value) => value > 0);
const known = (values) => (s) => values(s)?.filter((value) => value >= 0);

function rowField(name, type, values) {
	return { name, type, values };
}

function frameField(name, type, values) {
	return { name, type, values, ofFrame: true };
}

// In this order nearest.js tries them.
export const FIELDS = [
	rowField("id", "number", inRow("id", 0)),
	rowField("status", "text", rowText("status")),
	rowField("reason", "text", (s) => listOf(reasonOf(s))),
	rowField("state", "text", (s) => listOf(reasonOf(s) ?? plainText(s, "status"))),
	rowField("waiting", "duration", inRow("waiting_ns", 0)),
	rowField("runnable", "duration", known(inElement("duration", "runnable_ns"))),
	rowField("system", "bool", (s) => [s.model.isSystem(s.row)]),
	rowField("locked", "bool", (s) => [s.model.isLocked(s.row)]),
	rowField("panics", "bool", (s) => [s.model.panics(s.row)]),
	rowField("incomplete", "bool", isIncomplete),
	rowField("group", "number", groupOf),
	rowField("thread", "number", inRow("thread", 0)),
	rowField("parent", "number", known(inElement("number", "created_by", "goroutine"))),
	rowField("creator", "text", creatorOf),
	rowField("entry", "text", inElement("text", "entry", "function")),
	{
		...rowField("finding", "text", (s) => s.findings.get(s.model.columns.id[s.row]) ?? []),
		mayBeMore: (s) => s.model.totals.findings !== undefined,
	},
	rowField("label", "text", labelValues),
	rowField("waits", "text", wordsOfWait),
	rowField("waits.kind", "text", rowText("wait_kind")),
	rowField("waits.address", "address", waitAddresses),
	rowField("waits.operation", "text", inWait("text", "operation")),
	rowField("waits.type", "text", inWait("text", "element_type")),
	rowField("waits.len", "number", inWait("number", "len")),
	rowField("waits.cap", "number", inWait("number", "cap")),
	rowField("waits.closed", "bool", inWait("bool", "closed")),
	rowField("waits.nil", "bool", inWait("bool", "nil")),
	rowField("waits.locked", "bool", inWait("bool", "locked")),
	rowField("waits.starving", "bool", inWait("bool", "starving")),
	rowField("waits.readers", "number", inWait("number", "readers")),
	rowField("waits.waiters", "number", inWait("number", "waiters")),
	rowField("waits.counter", "number", inWait("number", "counter")),
	rowField("waits.fd", "number", inWait("number", "fd")),
	rowField("waits.protocol", "text", inWait("text", "protocol")),
	rowField("waits.local", "text", inWait("text", "local")),
	rowField("waits.peer", "text", inWait("text", "remote")),
	rowField("waits.socket", "text", inWait("text", "state")),
	rowField("waits.file", "text", inWait("text", "file")),
	rowField("stack.size", "size", inRow("stack_bytes", 0)),
	rowField("stack.used", "size", inElement("size", "stack", "used_bytes")),
	rowField("creator.file", "text", inElement("text", "created_by", "file")),
	rowField("creator.line", "number", positive(inElement("number", "created_by", "line"))),
	rowField("trace.id", "text", inElement("text", "trace", "trace_id")),
	rowField("trace.span", "text", inElement("text", "trace", "span_id")),
	rowField("context.error", "text", inElement("text", "context_error")),
	rowField("context.overdue", "duration", inElement("duration", "context_done_for_ns")),
	rowField("bubble.id", "number", inElement("number", "bubble", "id")),
	rowField("unreliable", "text", inElement("text", "unreliable_reason")),
	rowField("runtime", "text", rowText("runtime")),
	frameField("function", "text", inFrame("text", "function")),
	frameField("package", "text", packageOf),
	frameField("file", "text", inFrame("text", "file")),
	frameField("line", "number", positive(inFrame("number", "line"))),
	frameField("pc", "address", inFrame("address", "pc")),
	frameField("hidden", "bool", frameTruth("hidden")),
	frameField("inlined", "bool", frameTruth("inlined")),
	frameField("own", "bool", isOwn),
	frameField("language", "text", (s) => [s.frame.language === "c" ? "c" : "go"]),
	{ name: "var", type: "any", ofValues: true },
];

export function fieldNamed(name) {
	return FIELDS.find((field) => field.name === name);
}
