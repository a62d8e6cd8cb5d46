// SPDX-License-Identifier: Apache-2.0
// scheduler.js - Ps with what they run and what waits to be run, and what they share.

import { textOf } from "../text.js";
import { count, counted, duration } from "../units.js";
import { make, terms } from "../dom.js";
import { goroutineLink, goroutineLinks } from "../goroutine/references.js";

const QUEUE_SHOWN = 64;

function queueElement(model, queue) {
	if (!queue) return undefined;
	const more = (queue.length ?? 0) - (queue.goroutines ?? []).length;
	return (
		queue.length > 0 && [
			goroutineLinks(model, queue.goroutines ?? [], QUEUE_SHOWN),
			more > 0 && ` and ${counted(more, "more", "more")}`,
			queue.unreadable && ` (${textOf(queue.unreadable)})`,
		]
	);
}

// As wide as its queue is long, in 256ths, which is what a P has room for.
function queueBar(queue) {
	const bar = make("div", { class: "bar-fill" });
	bar.style.width = `${Math.min(100, ((queue?.length ?? 0) / 256) * 100)}%`;
	return make("div", { class: "queue", title: `${count(queue?.length ?? 0)} of 256` }, bar);
}

function processorElement(model, processor, machines) {
	const machine = machines.get(processor.machine);
	return make(
		"section",
		{ class: `card processor ${processor.status === "running" ? "busy" : ""}` },
		make(
			"h3",
			{},
			`P${processor.id} `,
			make("span", { class: "quiet" }, textOf(processor.status ?? processor.unreadable)),
		),
		queueBar(processor.run_queue),
		terms([
			["runs", machine?.goroutine !== undefined && goroutineLink(model, machine.goroutine)],
			["on", machine && `M${machine.id}${machine.thread === undefined ? "" : `, thread ${machine.thread}`}`],
			["next", processor.run_next !== undefined && goroutineLink(model, processor.run_next)],
			["queue", queueElement(model, processor.run_queue)],
			["unchanged", processor.unchanged_ns !== undefined && `for ${duration(processor.unchanged_ns)}`],
			["marks", textOf(processor.mark_worker)],
			["timers", processor.timers],
			["preempt", processor.preempt && "asked to let others run"],
		]),
	);
}

function sharedFacts(model, scheduler) {
	return terms([
		["GOMAXPROCS", scheduler.gomaxprocs],
		["global queue", queueElement(model, scheduler.run_queue) || "empty"],
		["Ps idle", scheduler.idle_processors],
		[
			"Ms",
			scheduler.machines !== undefined &&
				`${count(scheduler.machines)}, ${count(scheduler.idle_machines ?? 0)} idle, ${count(scheduler.spinning_machines ?? 0)} spinning`,
		],
		["world", scheduler.stopping_world && `stopping; ${scheduler.processors_to_stop ?? "?"} Ps to stop`],
		["disabled", scheduler.user_goroutines_disabled && "no goroutine of the program is started"],
		["unreadable", textOf(scheduler.unreadable)],
	]);
}

function runtimeElement(model, runtime) {
	const machines = new Map((runtime.machines ?? []).map((machine) => [machine.id, machine]));
	return [
		runtime.scheduler && sharedFacts(model, runtime.scheduler),
		make(
			"div",
			{ class: "processors" },
			(runtime.processors ?? []).map((p) => processorElement(model, p, machines)),
		),
		["processors_unreadable", "machines_unreadable", "unreadable"].map(
			(name) => runtime[name] && make("p", { class: "notice" }, textOf(runtime[name])),
		),
	];
}

export function schedulerView(model) {
	const { runtime } = model.head;
	return {
		element: make(
			"div",
			{ class: "scroll", tabindex: 0, role: "region", "aria-label": "Scheduler" },
			make("h2", {}, "Scheduler"),
			runtime
				? [runtime, ...(runtime.other_runtimes ?? [])].map((one) => runtimeElement(model, one))
				: make("p", { class: "quiet" }, "The snapshot has no state of the runtime."),
		),
	};
}
