// SPDX-License-Identifier: Apache-2.0
// timeline.js - a folder of snapshots: how many goroutines there were when, and the documents, newest first. Each
// leads to its page.

import { textOf } from "../text.js";
import { bytes, counted } from "../units.js";
import { draw, make } from "../dom.js";

const CHART_WIDTH = 900,
	CHART_HEIGHT = 160,
	CHART_EDGE = 12;

function programOf(entry) {
	return textOf(entry.module) || textOf(entry.program).split("/").pop();
}

function timeOf(entry) {
	return Date.parse(textOf(entry.taken_at));
}

function whenText(entry) {
	return textOf(entry.taken_at)
		.replace("T", " ")
		.replace(/\.\d+Z$/, " UTC");
}

// By the severity of the worst finding, or the outcome of a snapshot in which none is a warning.
function isGood({ fault, severity }) {
	return !fault && severity === "none";
}

function entryTitle(entry) {
	return [whenText(entry), programOf(entry), counted(entry.goroutines, "goroutine"), textOf(entry.verdict)]
		.filter(Boolean)
		.join(" · ");
}

function within(value, least, most, length) {
	return most > least ? CHART_EDGE + ((value - least) / (most - least)) * (length - 2 * CHART_EDGE) : length / 2;
}

// A line for each process.
function linesOf(points) {
	const lines = new Map();
	for (const point of points) {
		const key = `${programOf(point.entry)} ${point.entry.pid} ${textOf(point.entry.host)}`;
		if (lines.has(key)) lines.get(key).push(point);
		else lines.set(key, [point]);
	}
	return [...lines.values()].filter((line) => line.length > 1);
}

function chartElement(entries) {
	const timed = entries.filter((entry) => Number.isFinite(timeOf(entry)));
	if (timed.length === 0) return null;
	const times = timed.map(timeOf);
	const [first, last] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
	const most = timed.reduce((n, entry) => Math.max(n, entry.goroutines), 1);
	const points = timed.map((entry) => ({
		entry,
		x: within(timeOf(entry), first, last, CHART_WIDTH),
		y: CHART_HEIGHT - within(entry.goroutines, 0, most, CHART_HEIGHT),
	}));
	return make(
		"figure",
		{ class: "chart" },
		draw(
			"svg",
			{ viewBox: `0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`, role: "group", "aria-label": "Goroutines over time" },
			linesOf(points).map((line) =>
				draw("polyline", { points: line.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ") }),
			),
			points.map(({ entry, x, y }) =>
				draw(
					"a",
					{ href: `${entry.number}/`, "aria-label": entryTitle(entry) },
					draw(
						"circle",
						{
							cx: x.toFixed(1),
							cy: y.toFixed(1),
							r: 5,
							class: isGood(entry) ? "good" : "bad",
						},
						draw("title", {}, entryTitle(entry)),
					),
				),
			),
		),
		make(
			"figcaption",
			{ class: "quiet" },
			`Goroutines, from ${whenText(timed.at(-1))} to ${whenText(timed[0])}; ${counted(most, "goroutine")} at most.`,
		),
	);
}

function rowElement(entry) {
	return make(
		"tr",
		{},
		make("td", {}, make("a", { href: `${entry.number}/` }, whenText(entry) || textOf(entry.name))),
		make("td", {}, programOf(entry)),
		make("td", {}, entry.pid),
		make("td", { class: "number" }, entry.why && !entry.goroutines ? "" : entry.goroutines),
		make("td", { class: "number" }, entry.bytes === undefined ? "" : bytes(entry.bytes)),
		make(
			"td",
			{},
			entry.why && make("span", { class: "wrong" }, textOf(entry.why), " "),
			textOf(entry.verdict),
			make("div", { class: "quiet" }, textOf(entry.name)),
		),
	);
}

const HEADS = ["Taken", "Program", "PID", "Goroutines", "Size", "What is wrong"];

export function timelineElement({ documents, left_out: leftOut }) {
	// Those without a time come last.
	const sorted = documents.toSorted((a, b) => (timeOf(b) || 0) - (timeOf(a) || 0));
	return make(
		"div",
		{ class: "timeline" },
		chartElement(sorted),
		sorted.length === 0 && make("p", {}, "There are no snapshots in this folder."),
		leftOut > 0 && make("p", { class: "wrong" }, `${counted(leftOut, "document")} more are left out.`),
		sorted.length > 0 &&
			make(
				"table",
				{},
				make(
					"thead",
					{},
					make(
						"tr",
						{},
						HEADS.map((head) => make("th", { scope: "col" }, head)),
					),
				),
				make("tbody", {}, sorted.map(rowElement)),
			),
	);
}
