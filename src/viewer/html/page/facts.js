// SPDX-License-Identifier: Apache-2.0
// facts.js - members of a document by the names that they have there, whatever is in them. By the rule of
// gosnap-snapshot(5), the names say what numbers are. Knows no member but goroutine, and what lists leave out.

import { textOf } from "./text.js";
import { bytes, count, duration } from "./units.js";
import { firstOf, make } from "./dom.js";
import { goroutineLink } from "./goroutine/references.js";

const MEMBERS_SHOWN = 60,
	LISTED = 20,
	CELLS_SHOWN = 8,
	FACTS_DEEP = 6;

function isPlain(value) {
	return typeof value !== "object" || value === null || typeof value.hex === "string";
}

function nameWords(name) {
	return name.replace(/(.)_(ns|bytes)$/, "$1").replaceAll("_", " ");
}

export function timeWords(time) {
	return time.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");
}

function plainWords(name, value) {
	if (typeof value === "boolean") return value ? "yes" : "no";
	if (typeof value === "number" && value >= 0 && name.endsWith("_ns")) return duration(value);
	if (typeof value === "number" && value >= 0 && name.endsWith("_bytes")) return bytes(value);
	return name.endsWith("_at") ? timeWords(textOf(value)) : textOf(value);
}

// The number of those that are not there, if that is what an item says.
function leftOut(item) {
	return !isPlain(item) && Object.keys(item).join() === "omitted" && `${count(item.omitted)} more omitted`;
}

function cellsOf(model, item, names, depth) {
	if (isPlain(item) || leftOut(item))
		return make("td", { colspan: names.length }, leftOut(item) || textOf(item));
	return names.map((name) => make("td", {}, anyFact(model, name, item[name] ?? "", depth)));
}

function factTable(model, caption, items, depth) {
	const rows = items.filter((item) => !isPlain(item) && !leftOut(item)),
		names = [...new Set(rows.flatMap(Object.keys))].slice(0, CELLS_SHOWN);
	const head = names.map((name) => make("th", { scope: "col" }, nameWords(name)));
	return make(
		"table",
		{ class: "rows" },
		make("caption", {}, caption),
		make("thead", {}, make("tr", {}, head)),
		make(
			"tbody",
			{},
			firstOf(
				items,
				LISTED,
				(item) => make("tr", {}, cellsOf(model, item, names, depth)),
				(button) => make("tr", {}, make("td", { colspan: names.length }, button)),
			),
		),
	);
}

function factList(model, name, items, depth) {
	if (items.every((item) => isPlain(item) || leftOut(item)))
		return firstOf(items, LISTED, (item) => make("div", {}, leftOut(item) || plainWords(name, item)));
	return factTable(model, "", items, depth);
}

function anyFact(model, name, value, depth) {
	if (name === "goroutine" && Number.isInteger(value)) return goroutineLink(model, value);
	if (isPlain(value)) return plainWords(name, value);
	if (depth === FACTS_DEEP) return "…";
	return Array.isArray(value) ? factList(model, name, value, depth + 1) : membersOf(model, value, {}, depth + 1);
}

function membersOf(model, object, called, depth) {
	const row = (term, what) => make("div", {}, make("dt", {}, term), make("dd", {}, what));
	const said = Object.entries(object).filter(([, value]) => !isPlain(value) || textOf(value) !== "");
	if (said.length === 0) return "";
	return make(
		"dl",
		{ class: "terms" },
		firstOf(
			said,
			MEMBERS_SHOWN,
			([name, value]) => row(called[name] ?? nameWords(name), anyFact(model, name, value, depth)),
			(button) => row("…", button),
		),
	);
}

const isTable = (value) => Array.isArray(value) && value.some((item) => !isPlain(item) && !leftOut(item));

// called: what its members are called, where that is not what the document calls them. Long lists stand below.
export function factsElements(model, object, called) {
	const all = Object.entries(object),
		tables = all.filter(([, value]) => isTable(value));
	return [
		membersOf(model, Object.fromEntries(all.filter(([, value]) => !isTable(value))), called, 0),
		tables.map(([name, items]) => factTable(model, called[name] ?? nameWords(name), items, 0)),
	];
}
