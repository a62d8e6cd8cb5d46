// SPDX-License-Identifier: Apache-2.0
// goroutines.js - all goroutines, and a line that selects among them as it is typed.

import { count, counted, duration } from "../units.js";
import { make, replace } from "../dom.js";
import { functionOf } from "../data/model.js";
import { Filter } from "../data/filter.js";
import { goroutineHash } from "../route.js";
import { List } from "../list.js";

const ROW_LINE = 22; // pixels, as in style.css

function rowLine(model, row) {
	const age = model.age(row);
	return [
		make("span", { class: "id" }, model.columns.id[row]),
		make("span", { class: "state" }, model.state(row)),
		make("span", { class: "age" }, age === undefined ? "" : duration(age)),
		make("span", { class: "main" }, functionOf(model.mainFrame(model.group(row)))),
		model.panics(row) && make("span", { class: "badge" }, "panics"),
		!model.isWhole(row) && make("span", { class: "badge", title: "without values" }, "lean"),
	];
}

const ORDERS = {
	"in order of ids": null,
	"oldest first": (model) => (a, b) => model.columns.waiting_ns[b] - model.columns.waiting_ns[a],
	"largest stack first": (model) => (a, b) => model.columns.stack_bytes[b] - model.columns.stack_bytes[a],
};

export function goroutinesView(model, go) {
	const filter = new Filter(model);
	let rows = [];
	const list = new List({
		label: "Goroutines",
		height: ROW_LINE,
		line: (index) => rowLine(model, rows[index]),
		choose: (index) => go(goroutineHash(model.nameOf(rows[index]))),
	});
	const search = make("input", {
		type: "search",
		class: "search",
		placeholder: "Search: words, -word, >5m",
		"aria-label": "Search goroutines",
		autocomplete: "off",
		spellcheck: "false",
		input: () => update(),
	});
	const order = make(
		"select",
		{ "aria-label": "Order", change: () => update() },
		Object.keys(ORDERS).map((name) => make("option", {}, name)),
	);
	const system = make("input", { type: "checkbox", change: () => update() });
	const found = make("span", { class: "quiet", role: "status" });
	function update() {
		rows = filter.rows(search.value, system.checked);
		const compare = ORDERS[order.value];
		if (compare) rows.sort(compare(model));
		list.mark(-1);
		list.setCount(rows.length);
		list.element.scrollTop = 0;
		replace(
			found,
			search.value ? `${count(rows.length)} of ${count(model.count)}` : counted(rows.length, "goroutine"),
		);
	}
	update();
	return {
		list,
		find(words) {
			search.value = words;
			update();
		},
		search,
		element: make(
			"div",
			{ class: "pane" },
			make("div", { class: "bar" }, search, order, make("label", {}, system, " the runtime's own"), found),
			list.element,
		),
		select: ({ goroutine }) => list.mark(rows.indexOf(model.rowOf(goroutine))),
	};
}
