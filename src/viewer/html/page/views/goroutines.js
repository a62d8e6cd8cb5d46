// SPDX-License-Identifier: Apache-2.0
// goroutines.js - all goroutines, and a line that selects among them as it is typed.

import { textOf } from "../text.js";
import { count, counted, duration } from "../units.js";
import { make, replace } from "../dom.js";
import { functionOf } from "../data/model.js";
import { Filter } from "../data/filter.js";
import { countedHere, isPart } from "../data/left_out.js";
import { isExpression, selectWhere } from "../filter/select.js";
import { goroutineHash } from "../route.js";
import { List } from "../list.js";

const ROW_LINE = 22; // pixels, as in style.css
const TYPING_MS = 200; // somebody who types pauses for less

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

// Why there might be others.
function exceptions({ looked_at, undecided }) {
	if (looked_at !== undefined) return ` among the first ${count(looked_at)}: there was no time for more`;
	return undecided ? `; of ${count(undecided)} the page has not what would decide it` : "";
}

export function goroutinesView(model, go, source) {
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
		placeholder: "Search: words, -word, >5m, waiting > 5m && any(frames, own)",
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
	let asked = null; // its AbortController
	function say(words, isWrong) {
		replace(found, words);
		search.setAttribute("aria-invalid", String(isWrong));
	}
	function showMore(selected) {
		const chosen = rows[list.current];
		rows = selected;
		const compare = ORDERS[order.value];
		if (compare) rows.sort(compare(model));
		list.setCount(rows.length);
		if (rows[list.current] !== chosen) list.mark(rows.indexOf(chosen));
	}
	function show(selected) {
		rows = [];
		list.mark(-1);
		showMore(selected);
		list.element.scrollTop = 0;
		const isAll = !search.value && !isPart(model);
		say(isAll ? counted(rows.length, "goroutine") : countedHere(model, rows.length), false);
	}
	// A server answers for all goroutines; a page for those that it says enough of.
	function ask(expression, { signal }, tell) {
		return source.where
			? source.where(expression, signal)
			: selectWhere(expression, model, source, () => !signal.aborted, tell);
	}
	const wanted = (some) => some.filter((row) => system.checked || !model.isSystem(row));
	// Until there is something to show, what was shown stays.
	async function showWhere(expression, question) {
		await new Promise((resolve) => setTimeout(resolve, TYPING_MS));
		if (asked !== question) return;
		let showSome = show;
		const tell = (state) => {
			showSome(wanted(state.rows));
			showSome = showMore;
			say(`${count(rows.length)} so far; looked at ${countedHere(model, state.lookedAt)}`, false);
		};
		const answer = await ask(expression, question, tell).catch((error) => ({ error: error.message }));
		if (asked !== question) return;
		if (answer.error !== undefined) {
			say((answer.column ? `column ${answer.column}: ` : "") + textOf(answer.error), !answer.unfinished);
			return;
		}
		showSome(wanted(answer.rows));
		say(countedHere(model, rows.length) + exceptions(answer), false);
	}
	function update() {
		asked?.abort();
		asked = new AbortController();
		if (isExpression(search.value)) showWhere(search.value, asked);
		else show(filter.rows(search.value, system.checked));
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
