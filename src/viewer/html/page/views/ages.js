// SPDX-License-Identifier: Apache-2.0
// ages.js - how long goroutines have waited, as a histogram whose steps grow.

import { count, duration } from "../units.js";
import { make } from "../dom.js";
import { countedHere } from "../data/left_out.js";
import { statesOf } from "../goroutine/group.js";
import { goroutinesHash } from "../route.js";

const STEPS = [0, 1e3, 1e6, 10e6, 100e6, 1e9, 10e9, 60e9, 600e9, 3600e9, 21600e9, 86400e9, 604800e9, Infinity];

function rangeOf(from, to) {
	if (to === Infinity) return `${duration(from)} and more`;
	return from === 0 ? `below ${duration(to)}` : `${duration(from)} to ${duration(to)}`;
}

// As the search understands it.
function query(from, to) {
	const word = (ns) => duration(ns).replace(".0 ", "").replace(" ", "");
	return [from > 0 && `>${word(from)}`, to < Infinity && `<${word(to)}`].filter(Boolean).join(" ");
}

function bar(rows, most) {
	const element = make("div", { class: "bar-fill" });
	element.style.width = `${(rows.length / most) * 100}%`;
	return element;
}

function line(model, [from, to, rows], most) {
	return make(
		"tr",
		{},
		make("th", { scope: "row" }, rangeOf(from, to)),
		make(
			"td",
			{ class: "number" },
			rows.length > 0 ? make("a", { href: goroutinesHash(query(from, to)) }, count(rows.length)) : "0",
		),
		make("td", { class: "wide-cell" }, rows.length > 0 && bar(rows, most)),
		make(
			"td",
			{ class: "quiet" },
			statesOf(model, rows)
				.slice(0, 3)
				.map(([state, n]) => `${state} ${count(n)}`)
				.join(", "),
		),
	);
}

export function agesView(model) {
	const known = Array.from({ length: model.count }, (_, row) => row).filter(
		(row) => !model.isSystem(row) && model.age(row) !== undefined,
	);
	const steps = STEPS.slice(0, -1).map((from, i) => [
		from,
		STEPS[i + 1],
		known.filter((row) => model.age(row) >= from && model.age(row) < STEPS[i + 1]),
	]);
	const most = Math.max(1, ...steps.map(([, , rows]) => rows.length));
	return {
		element: make(
			"div",
			{ class: "scroll", tabindex: 0, role: "region", "aria-label": "Ages" },
			make("h2", {}, "How long goroutines have waited"),
			make(
				"p",
				{ class: "quiet" },
				`${countedHere(model, known.length)}; of others the runtime has not noted it.`,
			),
			make(
				"table",
				{ class: "rows ages" },
				make(
					"tbody",
					{},
					steps.map((step) => line(model, step, most)),
				),
			),
		),
	};
}
