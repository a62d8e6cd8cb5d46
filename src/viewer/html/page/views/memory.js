// SPDX-License-Identifier: Apache-2.0
// memory.js - where memory is, what the garbage collector does, what is in the heap, timers and pools.

import { textOf } from "../text.js";
import { bytes, count, duration } from "../units.js";
import { make, terms } from "../dom.js";
import { goroutineLink } from "../goroutine/references.js";

const ROWS = 40;

function table(caption, heads, rows) {
	return (
		rows.length > 0 &&
		make(
			"table",
			{ class: "rows" },
			make("caption", {}, caption),
			make(
				"thead",
				{},
				make(
					"tr",
					{},
					heads.map((head) => make("th", { scope: "col" }, head)),
				),
			),
			make(
				"tbody",
				{},
				rows.slice(0, ROWS).map((cells) =>
					make(
						"tr",
						{},
						cells.map((cell) => make("td", {}, cell)),
					),
				),
			),
		)
	);
}

function part(name, size, all) {
	const fill = make("div", { class: "bar-fill" });
	fill.style.width = `${Math.min(100, (size / Math.max(1, all)) * 100)}%`;
	return make(
		"tr",
		{},
		make("th", { scope: "row" }, name),
		make("td", { class: "number" }, bytes(size)),
		make("td", { class: "wide-cell" }, fill),
	);
}

const PARTS = {
	heap_inuse_bytes: "heap, with objects",
	heap_idle_bytes: "heap, without",
	heap_released_bytes: "of that, given back",
	stack_inuse_bytes: "stacks of goroutines",
	mspan_inuse_bytes: "spans",
	mcache_inuse_bytes: "caches of Ps",
	buck_hash_sys_bytes: "profiles",
	gc_sys_bytes: "the collector's own",
	other_sys_bytes: "other",
};

function whereElement(memory) {
	if (!memory || memory.unreadable)
		return make(
			"p",
			{ class: "quiet" },
			textOf(memory?.unreadable, "The snapshot does not say where memory is."),
		);
	return make(
		"table",
		{ class: "rows ages" },
		make("caption", {}, `From the kernel: ${bytes(memory.sys_bytes ?? 0)}`),
		make(
			"tbody",
			{},
			Object.entries(PARTS)
				.filter(([key]) => memory[key] !== undefined)
				.map(([key, name]) => part(name, memory[key], memory.sys_bytes)),
		),
	);
}

function gcElement(gc) {
	return (
		gc &&
		terms([
			[
				"collector",
				gc.unreadable ? textOf(gc.unreadable) : `${textOf(gc.phase, "?")}, ${count(gc.cycles ?? 0)} cycles`,
			],
			[
				"live",
				gc.live_bytes !== undefined &&
					`${bytes(gc.live_bytes)} of ${gc.goal_bytes === undefined ? "no goal" : bytes(gc.goal_bytes)}`,
			],
			["GOGC", gc.percent],
			["GOMEMLIMIT", gc.memory_limit_bytes !== undefined && bytes(gc.memory_limit_bytes)],
			["processor", gc.cpu_millionths !== undefined && `${(gc.cpu_millionths / 1e4).toFixed(1)} %`],
			[
				"last pauses",
				gc.pauses &&
					gc.pauses
						.slice(0, 8)
						.map((pause) => duration(pause.pause_ns ?? 0))
						.join(", "),
			],
			["finalizers", gc.finalizers],
			["cleanups", gc.cleanups],
		])
	);
}

function amount(of) {
	return of ? `${bytes(of.bytes ?? 0)}, ${count(of.objects ?? 0)} objects` : "";
}

function heapElement(model, heap) {
	return (
		heap && [
			make("h2", {}, "Heap"),
			terms([
				["live", amount(heap.live)],
				["garbage", amount(heap.garbage)],
				["unreadable", textOf(heap.unreadable)],
				["keepers", textOf(heap.keepers_omitted)],
			]),
			table(
				"Types",
				["Type", "Live", "Garbage", "Keep alive"],
				(heap.types ?? []).map((type) => [
					textOf(type.type),
					amount(type.live),
					amount(type.garbage),
					amount(type.retained),
				]),
			),
			table(
				"Who keeps objects alive",
				["Who", "Alone"],
				(heap.retained ?? []).map((one) => [
					one.goroutine !== undefined
						? goroutineLink(model, one.goroutine)
						: textOf(one.name ?? one.variable, "what runs, finalizers"),
					amount(one.alone),
				]),
			),
			table(
				"Objects that keep most",
				["Address", "Type", "Size", "Keeps"],
				(heap.keepers ?? []).map((one) => [
					textOf(one.address),
					textOf(one.type),
					bytes(one.bytes ?? 0),
					amount(one.retained),
				]),
			),
		]
	);
}

function timersElement(model, timers) {
	return (
		timers &&
		table(
			`Timers: ${count(timers.count ?? 0)}`,
			["When", "Again after", "Calls", "Goroutine"],
			(timers.next ?? []).map((timer) => [
				textOf(timer.when, "never"),
				timer.period_ns === undefined ? "" : duration(timer.period_ns),
				textOf(timer.calls ?? timer.function),
				timer.goroutine === undefined ? "" : goroutineLink(model, timer.goroutine),
			]),
		)
	);
}

export function memoryView(model) {
	const { runtime, process } = model.head;
	return {
		element: make(
			"div",
			{ class: "scroll", tabindex: 0, role: "region", "aria-label": "Memory" },
			make("h2", {}, "Memory"),
			terms([["resident", process?.rss_bytes !== undefined && bytes(process.rss_bytes)]]),
			gcElement(runtime?.gc),
			whereElement(runtime?.memory),
			heapElement(model, runtime?.heap),
			timersElement(model, runtime?.timers),
			table(
				"Pools",
				["Pool", "Makes", "Objects", "Until the next collection"],
				(runtime?.pools ?? []).map((pool) => [
					textOf(pool.address),
					textOf(pool.new),
					count(pool.objects ?? 0),
					count(pool.victims ?? 0),
				]),
			),
		),
	};
}
