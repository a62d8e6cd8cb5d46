// SPDX-License-Identifier: Apache-2.0
// group.js - goroutines with one stack.

import { textOf } from "../text.js";
import { count, counted, duration } from "../units.js";
import { make, terms } from "../dom.js";
import { isPart, noneHere } from "../data/left_out.js";
import { goroutineLinks } from "./references.js";
import { stackElement } from "./stack.js";

function memberList(model, group) {
	const rows = model.members(group);
	return rows.length > 0
		? make(
				"p",
				{},
				goroutineLinks(
					model,
					rows.map((row) => model.nameOf(row)),
					400,
				),
			)
		: make(
				"p",
				{ class: "quiet" },
				isPart(model) ? "None of them has room in this page." : "The snapshot ends before these goroutines.",
			);
}

// How many are in each state.
export function statesOf(model, rows) {
	const states = new Map();
	for (const row of rows) states.set(model.state(row), (states.get(model.state(row)) ?? 0) + 1);
	return [...states].sort((a, b) => b[1] - a[1]);
}

export function ageRange(model, rows) {
	let low = Infinity,
		high = -1;
	for (const row of rows) {
		const age = model.age(row);
		if (age === undefined) continue;
		low = Math.min(low, age);
		high = Math.max(high, age);
	}
	if (high < 0) return "";
	return duration(low) === duration(high) ? duration(low) : `${duration(low)} to ${duration(high)}`;
}

export function groupElement(model, id) {
	const group = model.groupById.get(id);
	if (!group) return make("p", { class: "quiet" }, noneHere(model, "groups", `group ${id}`));
	const rows = model.members(group);
	return make(
		"article",
		{ class: "group" },
		make(
			"h2",
			{ tabindex: -1 },
			counted(group.count, "goroutine"),
			make(
				"span",
				{ class: "state" },
				statesOf(model, rows)
					.map(([state]) => state)
					.join(", "),
			),
		),
		terms([
			[isPart(model) ? "ages here" : "ages", ageRange(model, rows)],
			["fingerprint", textOf(group.fingerprint)],
		]),
		make("h3", {}, rows.length < group.count ? `Goroutines: ${count(rows.length)} of them` : "Goroutines"),
		memberList(model, group),
		make("h3", {}, "Stack"),
		stackElement(model.framesOf(group)),
	);
}
