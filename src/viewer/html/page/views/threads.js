// SPDX-License-Identifier: Apache-2.0
// threads.js - the threads of the process; each opens to its stack and registers.

import { textOf } from "../text.js";
import { counted, duration } from "../units.js";
import { add, firstOf, make, terms } from "../dom.js";
import { attempt } from "../boundary.js";
import { moreLine } from "../data/left_out.js";
import { goroutineLink } from "../goroutine/references.js";
import { stackElement } from "../goroutine/stack.js";

const THREADS_SHOWN = 200;

function summaryOf(thread) {
	return [
		make("span", { class: "name" }, `thread ${thread.id} ${textOf(thread.name)}`),
		" ",
		make(
			"span",
			{ class: "quiet" },
			[
				`state ${textOf(thread.state, "?")}`,
				thread.m !== undefined && `M${thread.m}`,
				thread.p !== undefined && `P${thread.p}`,
				thread.stack_kind && `on ${textOf(thread.stack_kind)}`,
				textOf(thread.wchan),
				thread.signal && textOf(thread.signal.name),
			]
				.filter(Boolean)
				.join(", "),
		),
	];
}

function registersElement(registers) {
	return (
		registers &&
		make(
			"pre",
			{},
			Object.entries(registers)
				.map(([name, value]) => `${name} ${textOf(value)}`)
				.join("  "),
		)
	);
}

function factsOfThread(model, thread) {
	return terms([
		["goroutine", thread.goroutine !== undefined && goroutineLink(model, thread.goroutine)],
		[
			"system call",
			thread.syscall &&
				`${thread.syscall.number} (${(thread.syscall.arguments ?? []).map((a) => textOf(a)).join(", ")})`,
		],
		["CPU time", thread.cpu_ns !== undefined && duration(thread.cpu_ns)],
		["asleep", thread.asleep_ns !== undefined && `for ${duration(thread.asleep_ns)}`],
		[
			"stack is",
			thread.unwind &&
				thread.unwind.status !== "complete" &&
				`${textOf(thread.unwind.status)}: ${textOf(thread.unwind.reason)}`,
		],
	]);
}

function insideThread(model, thread) {
	return [
		factsOfThread(model, thread),
		registersElement(thread.registers),
		thread.frames
			? stackElement(thread.frames)
			: make("p", { class: "quiet" }, "Its goroutine has the stack."),
	];
}

function threadElement(model, thread) {
	const element = make("details", { class: "thread" }, make("summary", { "data-step": true }, summaryOf(thread)));
	element.addEventListener(
		"toggle",
		() =>
			element.childElementCount === 1 &&
			add(
				element,
				attempt("This thread", () => insideThread(model, thread)),
			),
	);
	return element;
}

export function threadsView(model) {
	const threads = model.head.threads ?? [];
	return {
		element: make(
			"div",
			{ class: "scroll", tabindex: 0, role: "region", "aria-label": "Threads", "data-steps": true },
			make("h2", {}, counted(model.totals.threads ?? threads.length, "thread")),
			make(
				"div",
				{ class: "stack" },
				firstOf(threads, THREADS_SHOWN, (thread) => threadElement(model, thread)),
			),
			moreLine(model, "threads"),
		),
	};
}
