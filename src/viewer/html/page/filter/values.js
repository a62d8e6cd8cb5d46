// SPDX-License-Identifier: Apache-2.0
// values.js - values of variables, and what they refer to, by a path such as req.URL.Path: with the meaning of
// src/viewer/filter/values.c. Documents are untrusted: references may go round in circles.

import { addressOf, asNumber, wordsOf } from "./fields.js";

const REFERENCES = 8; // from a value to what it means: pointers to pointers, interfaces
const EMBEDDED = 8; // structs in structs, as deep
const NESTING = 64; // of values in values, where one is looked for
const LEVEL = 32; // such structs at the same depth
const FACTS_MAX = 24; // of one value
const HELD = 1023; // objects, of one goroutine
const LARGEST_INDEX = 2 ** 32 - 1;
const NUMERIC = /^(int(?!erface)|uint|float)/;

// Thrown where an object is needed that is not there yet, or that the page has not.
class NotHere extends Error {}

function get(value, name) {
	return typeof value === "object" && value !== null && Object.hasOwn(value, name) ? value[name] : undefined;
}

const WHY_NOT = ["unreadable", "redacted", "optimized_out"];

function isReadable(value) {
	return value !== undefined && WHY_NOT.every((name) => get(value, name) === undefined);
}

function hasContent(value) {
	return ["fields", "elements", "entries"].some((name) => get(value, name) !== undefined);
}

const listIn = (value, name) => (Array.isArray(get(value, name)) ? value[name] : []);

// What was looked up for one goroutine. Objects are given to it by number: null is none, undefined one that the
// page has not.
export class Lookups {
	constructor() {
		this.objects = new Map();
		this.needs = new Set();
		this.seen = new Map();
	}

	isFull() {
		return this.objects.size + this.needs.size + this.seen.size >= HELD;
	}

	object(number) {
		if (!this.objects.has(number)) {
			if (this.isFull()) return null;
			this.needs.add(number);
			throw new NotHere();
		}
		const object = this.objects.get(number);
		if (object === undefined) throw new NotHere();
		return object;
	}
}

function lookAt(search, value, depth) {
	const isIt =
		addressOf(get(value, "to")) === search.to &&
		(wordsOf(get(value, "type")) ?? "") === search.type &&
		get(value, "seen") === undefined;
	if (isIt && (get(value, "target") !== undefined || hasContent(value))) search.found = get(value, "target") ?? value;
	if (search.found !== undefined || depth === NESTING || typeof value !== "object" || value === null) return;
	for (const inner of Object.values(value)) lookAt(search, inner, depth + 1);
}

// With --inline, only the first reference to an object has it. Each is looked for once.
function seenBefore(s, value) {
	const search = { to: addressOf(get(value, "seen")), type: wordsOf(get(value, "type")) ?? "", found: undefined };
	if (search.to === undefined) return undefined;
	if (s.lookups.seen.has(search.to)) return s.lookups.seen.get(search.to);
	if (s.lookups.isFull()) return undefined;
	lookAt(search, s.element.frames, 0);
	s.lookups.seen.set(search.to, search.found);
	return search.found;
}

// What a value refers to, if that is in the document.
function meantBy(s, value) {
	const object = asNumber(get(value, "object"));
	if (get(value, "dynamic_value") !== undefined) return value.dynamic_value;
	if (get(value, "target") !== undefined) return value.target;
	return (object >= 0 ? s.lookups.object(object) : null) ?? seenBefore(s, value);
}

// Follows references to what has fields, elements or entries.
function contentOf(s, start) {
	let value = start;
	for (let i = 0; i < REFERENCES && isReadable(value); i++) {
		if (hasContent(value)) return value;
		value = meantBy(s, value);
	}
	return undefined;
}

// A printing rule may have renamed it.
function isCalled(field, name) {
	return (wordsOf(get(field, "name")) ?? "") === name || (wordsOf(get(field, "renamed_from")) ?? "") === name;
}

function embeddedIn(s, structs) {
	return structs
		.flatMap((struct) => listIn(struct, "fields"))
		.filter((field) => get(field, "embedded") === true)
		.map((field) => contentOf(s, field))
		.filter((struct) => struct !== undefined)
		.slice(0, LEVEL);
}

// As in Go: the least deeply embedded one, if there is only one at that depth.
function fieldOf(s, value, name) {
	let structs = [contentOf(s, value)].filter((struct) => struct !== undefined);
	for (let depth = 0; structs.length > 0 && depth < EMBEDDED; depth++) {
		const found = structs.flatMap((struct) => listIn(struct, "fields")).filter((field) => isCalled(field, name));
		if (found.length > 0) return found.length === 1 ? found[0] : undefined;
		structs = embeddedIn(s, structs);
	}
	return undefined;
}

// As strtold() takes it; integers that are no Number are bigints.
function numberIn(words) {
	if (/^[+-]?\d+$/.test(words)) {
		const number = Number(words);
		return Number.isSafeInteger(number) ? number : BigInt(words);
	}
	if (/^0x[\da-f]+$/i.test(words)) return BigInt(words);
	if (/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(words)) return Number(words);
	const [, sign, name] = /^([+-]?)(inf|infinity|nan)$/i.exec(words) ?? [];
	if (name === undefined) return undefined;
	return name.toLowerCase() === "nan" ? NaN : sign === "-" ? -Infinity : Infinity;
}

function numericValue(value) {
	const kind = [get(value, "kind"), get(value, "type"), ""].find((words) => typeof words === "string"),
		scalar = get(value, "value");
	if (!NUMERIC.test(kind)) return undefined;
	return typeof scalar === "number" ? scalar : typeof scalar === "string" ? numberIn(scalar) : undefined;
}

function keyIs(written, step) {
	const key = get(written, "dynamic_value") ?? written; // of a key of type any
	if (step.kind === "key") {
		const words = get(key, "value");
		return (typeof words === "string" ? words : (wordsOf(get(key, "text")) ?? "")) === step.name;
	}
	const number = numericValue(key);
	return number !== undefined && number <= step.index && number >= step.index;
}

function elementOf(s, value, step) {
	const content = contentOf(s, value);
	if (get(content, "entries") !== undefined)
		return get(listIn(content, "entries").find((entry) => keyIs(get(entry, "key"), step)), "value");
	if (step.kind !== "index" || step.index < 0 || step.index > LARGEST_INDEX) return undefined;
	return listIn(content, "elements")[Math.trunc(Number(step.index))];
}

function follow(s, variable, steps) {
	let value = variable;
	for (const step of steps.slice(1)) {
		if (!isReadable(value)) return undefined;
		value = step.kind === "name" ? fieldOf(s, value, step.name) : elementOf(s, value, step);
	}
	return isReadable(value) ? value : undefined;
}

// Numbers that could be taken for addresses are in an object.
function scalarFacts(value) {
	const number = numericValue(value),
		scalar = get(value, "value");
	const plain = number ?? (typeof scalar === "boolean" ? scalar : wordsOf(scalar));
	const all = [typeof plain === "bigint" ? { number: plain } : plain];
	all.push(wordsOf(get(value, "text")), wordsOf(get(value, "function")), addressOf(get(value, "to")));
	return all.filter((fact) => fact !== undefined);
}

// { facts, isPart: there are more, of an object that is not there }
function allFacts(s, start) {
	const facts = [{ nil: get(start, "nil") === true }];
	let value = start;
	try {
		for (let i = 0; i < REFERENCES && isReadable(value); i++) {
			facts.push(...scalarFacts(value));
			value = meantBy(s, value);
		}
	} catch (error) {
		if (!(error instanceof NotHere)) throw error;
		return { facts: facts.slice(0, FACTS_MAX), isPart: true };
	}
	return { facts: facts.slice(0, FACTS_MAX) };
}

function lengthFacts(s, start) {
	let value = start;
	for (let i = 0; i < REFERENCES && isReadable(value); i++) {
		const len = asNumber(get(value, "len"));
		if (len !== undefined) return { facts: [len] };
		if (get(value, "nil") === true) return { facts: [0] }; // a nil slice has none
		value = meantBy(s, value);
	}
	return undefined;
}

function factsAt(s, variable, path) {
	try {
		const value = follow(s, variable, path.steps);
		if (value === undefined) return undefined;
		return path.isLength ? lengthFacts(s, value) : allFacts(s, value);
	} catch (error) {
		if (!(error instanceof NotHere)) throw error;
		return { isUnknown: true };
	}
}

// Of each variable of that name: { facts, isPart } or { isUnknown }; undefined: the goroutine's element is not there.
export function valuesAt(s, path) {
	if (!s.element) return undefined;
	const frames = listIn(s.element, "frames"),
		asked = s.frameIndex === undefined ? frames : frames.slice(s.frameIndex, s.frameIndex + 1);
	return asked
		.flatMap((frame) => [...listIn(frame, "arguments"), ...listIn(frame, "locals")])
		.filter((variable) => isCalled(variable, path.steps[0].name))
		.map((variable) => factsAt(s, variable, path))
		.filter((value) => value !== undefined);
}
