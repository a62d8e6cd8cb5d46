// SPDX-License-Identifier: Apache-2.0
// parse_field.js - what a condition is about: a field of the goroutine or of a frame, a label, a variable.

import { FIELDS, fieldNamed } from "./fields.js";
import { nearestOf } from "./nearest.js";

const PATH_STEPS_MAX = 32;
export const FILTER_FUNCTIONS = ["any", "all", "count", "has", "len", "contains"];

function mayBeHere(p, field) {
	return field.ofValues || Boolean(field.ofFrame) === p.inFrames;
}

function unknownField(p, at, name) {
	const here = FIELDS.filter((field) => mayBeHere(p, field)).map((field) => field.name);
	const nearest = nearestOf(name, [...here, ...FILTER_FUNCTIONS]);
	const begins = [...FIELDS.map((field) => field.name), ...FILTER_FUNCTIONS].some((one) => one.startsWith(name));
	return p.wrong(
		at,
		p.end,
		`unknown field ${name.slice(0, 60)}: ` + (nearest ? `did you mean ${nearest}?` : "see gosnap-filter(7)"),
		p.end === p.text.length && begins,
	);
}

function elsewhere(p, at, end, { name }) {
	return p.wrong(
		at,
		end,
		p.inFrames
			? `${name} is of the goroutine, not of a frame: write it outside of the parentheses`
			: `${name} is of a frame: write it in any(frames, ...)`,
	);
}

// "waits.peer": all names and dots.
function takeNames(p) {
	let names = "";
	for (;;) {
		names += p.now.words;
		p.advance();
		if (!p.takes(".")) return names;
		names += ".";
		if (p.now.kind !== "name") return names;
	}
}

// Behind "[".
function takeKey(p) {
	const { kind, words } = p.now;
	if (kind !== "text") throw p.expected("a text in the brackets");
	p.advance();
	p.needs("]", "behind the text");
	return words;
}

// Labels have dots in their names.
function parseLabel(p) {
	if (p.takes("[")) return takeKey(p);
	if (!p.takes(".") || p.now.kind !== "name") throw p.expected('a key: label.tenant or label["odd key"]');
	const at = p.now.at,
		key = takeNames(p);
	if (key.endsWith(".")) throw p.expected("a name behind the dot");
	if (!p.isAt("-")) return key;
	const odd = "a key with other signs than letters and dots is in brackets: ";
	throw p.wrong(at, p.end, `${odd}label["${key.slice(0, 40)}-..."]`);
}

// Behind "[": which element, or what key.
function parseIndex(p) {
	if (p.now.kind === "text") return { kind: "key", name: takeKey(p) };
	const negative = p.takes("-"),
		{ kind, number } = p.now;
	if (kind !== "number" && kind !== "address") throw p.expected("a number or a text in the brackets");
	p.advance();
	p.needs("]", "behind the number");
	return { kind: "index", index: negative ? -number : number };
}

function parseStep(p) {
	const { kind, words } = p.now;
	if (kind !== "name") throw p.expected("a name behind the dot");
	p.advance();
	return { kind: "name", name: words };
}

// The first step is a name, though variables without one are in brackets: var["sp+0x28"].
function parseVariable(p, at) {
	const steps = [];
	if (!p.isAt(".") && !p.isAt("[")) throw p.expected("a name: var.req or var.req.URL.Path");
	while (steps.length < PATH_STEPS_MAX && (p.isAt(".") || p.isAt("["))) {
		const isName = p.takes(".");
		if (!isName) p.advance();
		steps.push(isName ? parseStep(p) : parseIndex(p));
		if (steps[0].kind === "index") throw p.wrong(at, p.end, "a variable has a name: var.req");
	}
	if (steps.length === PATH_STEPS_MAX) throw p.wrong(at, p.end, `it has more than ${PATH_STEPS_MAX - 1} steps`);
	return steps;
}

// { field, label, steps }
export function parseField(p) {
	const { at, kind, len, words } = p.now;
	if (kind !== "name") throw p.expected("the name of a field, such as status");
	const isSpecial = words === "label" || words === "var",
		name = isSpecial ? words : takeNames(p),
		field = fieldNamed(name),
		end = isSpecial ? at + len : p.end;
	if (!field) throw unknownField(p, at, name);
	if (!mayBeHere(p, field)) throw elsewhere(p, at, end, field);
	if (!isSpecial) return { field };
	p.advance();
	if (words === "label") return { field, label: parseLabel(p) };
	return { field, steps: parseVariable(p, at) };
}
