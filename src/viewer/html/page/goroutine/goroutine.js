// SPDX-License-Identifier: Apache-2.0
// goroutine.js - all that is known of one goroutine.

import { textOf } from "../text.js";
import { bytes, counted } from "../units.js";
import { firstOf, make, terms } from "../dom.js";
import { takeGoroutine } from "../data/shapes.js";
import { noneHere } from "../data/left_out.js";
import { goroutineHash, groupHash, noteHash } from "../route.js";
import { frameLine, goroutineLink, goroutineLinks, stateOf } from "./references.js";
import { Place, openPath } from "./values.js";
import { openFrame, stackElement } from "./stack.js";
import { rawStackElement } from "./raw_stack.js";
import { ancestorsElements } from "./ancestors.js";

function withGroup(model, row, goroutine) {
	const frames = model.framesOf(model.group(row));
	const own = goroutine?.frames ?? [];
	const length = Math.max(frames.length, own.length);
	return Array.from({ length }, (_, i) => ({ ...frames[i], ...own[i] }));
}

function bufferOf(wait) {
	return wait.cap === undefined ? undefined : `${wait.len ?? "?"} of ${wait.cap}${wait.closed ? ", closed" : ""}`;
}

function waitWords(wait) {
	return [
		wait.kind,
		wait.operation,
		textOf(wait.address),
		bufferOf(wait) && `(${bufferOf(wait)})`,
		wait.nil && "nil",
		wait.locked && "locked",
		wait.counter !== undefined && `counter ${wait.counter}`,
		wait.fd !== undefined && `fd ${wait.fd}`,
		wait.protocol,
		textOf(wait.local) && `${textOf(wait.local)} → ${textOf(wait.remote, "?")}`,
		textOf(wait.file),
		wait.state,
		wait.when && `until ${wait.when}`,
		wait.unreadable && `(unreadable: ${textOf(wait.unreadable)})`,
	]
		.filter(Boolean)
		.map((word) => textOf(word))
		.join(" ");
}

function waiting(model, row, goroutine) {
	const wait = goroutine?.waiting_for;
	if (wait)
		return [
			waitWords(wait),
			(wait.cases ?? []).map((one) => make("div", {}, waitWords({ kind: "case", ...one }))),
		];
	return `${model.text("wait_kind", row)} ${model.text("wait_address", row)}`.trim();
}

const LOCKS_SHOWN = 40;

function holdersOf(model, row) {
	const holders = model.holders(model.text("wait_address", row));
	return (
		holders.length > 0 &&
		firstOf(holders, LOCKS_SHOWN, (holder) =>
			make(
				"div",
				{},
				goroutineLink(model, holder.goroutine),
				` (${textOf(holder.holds)})`,
				holder.locked_at && [", locked in ", frameLine(holder.locked_at)],
			),
		)
	);
}

// Whom it keeps waiting.
function kept(model, row) {
	const id = model.columns.id[row];
	const waits = model.waits.filter((wait) => (wait.partners ?? []).some((p) => p.holds && p.goroutine === id));
	return (
		waits.length > 0 &&
		firstOf(waits, LOCKS_SHOWN, (wait) =>
			make(
				"div",
				{},
				`${textOf(wait.kind)} ${textOf(wait.address)}, for which `,
				counted(wait.waiters ?? 0, "waits", "wait"),
				": ",
				goroutineLinks(model, wait.goroutines ?? []),
			),
		)
	);
}

function panicLine(panic) {
	return make(
		"div",
		{},
		textOf(panic.type),
		" ",
		textOf(panic.printed ?? panic.unreadable),
		panic.recovered && " (recovered)",
		panic.goexit && " (Goexit)",
	);
}

function deferLine(call) {
	return make("div", {}, call.unreadable ? `(unreadable: ${textOf(call.unreadable)})` : frameLine(call));
}

function creator(model, goroutine) {
	const by = goroutine?.created_by;
	return by && [frameLine(by), by.goroutine !== undefined && [" in ", goroutineLink(model, by.goroutine)]];
}

function moreFacts(model, goroutine) {
	if (!goroutine) return [];
	const { stack, unwind, trace, bubble } = goroutine;
	return [
		["panics", goroutine.panics && goroutine.panics.map(panicLine)],
		["deferred", goroutine.defers && goroutine.defers.map(deferLine)],
		["stack", stack && `${bytes(stack.used_bytes ?? 0)} of ${bytes(stack.size_bytes ?? 0)}`],
		[
			"stack is",
			unwind && unwind.status !== "complete" && `${textOf(unwind.status)}: ${textOf(unwind.reason)}`,
		],
		["trace", trace && `${textOf(trace.trace_id)} span ${textOf(trace.span_id)}`],
		["context", textOf(goroutine.context_error)],
		["bubble", bubble && `${textOf(bubble.id ?? bubble.address)}, ${counted(bubble.total ?? 0, "goroutine")}`],
		["may be wrong", textOf(goroutine.unreliable_reason)],
		["g", textOf(goroutine.address)],
	];
}

function labelsOf(model, row) {
	const labels = model.labels(row);
	return (
		labels.length > 0 &&
		labels.map((label) => make("div", {}, textOf(label.key, "…"), "=", textOf(label.value)))
	);
}

function factsOf(model, row, goroutine) {
	const thread = model.columns.thread[row],
		group = model.group(row);
	return terms([
		["waits for", waiting(model, row, goroutine)],
		["held by", holdersOf(model, row)],
		["has", kept(model, row)],
		["labels", labelsOf(model, row)],
		["thread", thread >= 0 && `${thread}${model.isLocked(row) ? ", locked to it" : ""}`],
		["created by", creator(model, goroutine) || model.text("created_by", row)],
		[
			"group",
			group &&
				make("a", { href: groupHash(group.id) }, counted(group.count, "goroutine"), " with this stack"),
		],
		...moreFacts(model, goroutine),
	]);
}

// The frame that a fault blames.
function faultFrame(model, name) {
	const { fault } = model.head;
	return fault && String(fault.goroutine) === String(name) && fault.place?.stack === "goroutine"
		? fault.place.frame
		: undefined;
}

export async function goroutineElement(model, source, name, { frame, path }) {
	const row = model.rowOf(name);
	if (row === undefined) return make("p", { class: "quiet" }, noneHere(model, "goroutines", `goroutine ${name}`));
	const wrong = new Set();
	const goroutine = takeGoroutine(await source.goroutine(row), wrong);
	const frames = withGroup(model, row, goroutine);
	const placeOfFrame = (index) => new Place(source, model, (inside) => goroutineHash(name, index, inside));
	const stack = stackElement(frames, {
		placeOfFrame,
		opened: (index) => noteHash(goroutineHash(name, index)),
		words: goroutine?.argument_words,
		first: frame ?? faultFrame(model, name),
	});
	const element = make(
		"article",
		{ class: "goroutine" },
		make(
			"h2",
			{ tabindex: -1 },
			`goroutine ${model.columns.id[row]}`,
			make("span", { class: "state" }, stateOf(model, row)),
		),
		factsOf(model, row, goroutine),
		!goroutine &&
			make(
				"p",
				{ class: "notice" },
				"This page has no values of this goroutine, for want of room. ",
				"gosnap show and gosnap serve read them from the snapshot.",
			),
		wrong.size > 0 &&
			make("p", { class: "notice" }, `Left out, as it is not as it should be: ${[...wrong].join(", ")}.`),
		make("h3", {}, "Stack"),
		stack,
		ancestorsElements(model, goroutine?.ancestors),
		rawStackElement(goroutine?.raw_stack),
	);
	if (frame !== undefined) {
		const at = openFrame(stack, frame);
		element.target = at && (await openPath(at, path ?? []));
	}
	return element;
}
