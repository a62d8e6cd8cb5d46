// SPDX-License-Identifier: Apache-2.0
// evaluate.js - is a condition true for a goroutine: true, false, or undefined if only the goroutine's element says
// so, or objects that its values refer to, which were not given. Frames are asked once each, if they need no values,
// and texts once for each regular expression.

import { valuesAt } from "./values.js";

const ANSWERS_KEPT = 10_000; // of a regular expression

// Numbers and bigints.
function ordered(how, a, b) {
	if (how === "<") return a < b;
	if (how === "<=") return a <= b;
	if (how === ">") return a > b;
	if (how === ">=") return a >= b;
	return a <= b && a >= b;
}

const inLowerCase = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function matches(x, text) {
	if (!x.matched || x.matched.size > ANSWERS_KEPT) x.matched = new Map();
	if (!x.matched.has(text)) x.matched.set(text, x.ere.test(text));
	return x.matched.get(text);
}

function textFits(x, text, { words }) {
	if (x.ere) return matches(x, text);
	return x.how === "contains" ? inLowerCase(text).includes(inLowerCase(words)) : text === words;
}

function numberFits(how, number, { low, high }) {
	return how === "in" ? number >= low && number <= high : ordered(how, number, low);
}

// A bigint is an address; a number as large is in an object, as is whether a variable is nil. undefined: they cannot
// be compared.
function fitsLiteral(x, fact, literal) {
	if (typeof fact === "string") return literal.kind === "text" ? textFits(x, fact, literal) : undefined;
	if (typeof fact === "boolean") return literal.kind === "bool" ? fact === literal.truth : undefined;
	if (fact?.nil !== undefined) return literal.kind === "nil" ? fact.nil : undefined;
	if (fact === null || literal.kind !== "number") return undefined;
	if (typeof fact === "bigint" && !literal.isAddress) return undefined;
	return numberFits(x.how, fact.number ?? fact, literal);
}

// facts: all that is known of one value.
function answersOf(x, facts) {
	return facts.flatMap((fact) => x.literals.map((literal) => fitsLiteral(x, fact, literal)));
}

function holds(x, answers) {
	if (x.how === "!=" || x.how === "!~") return !answers.includes(true) && answers.includes(false);
	return answers.includes(true);
}

// One that decides is enough: false of &&, true of ||.
function decided(items, ask, deciding) {
	let answer = !deciding;
	for (const item of items) {
		const one = ask(item);
		if (one === deciding) return one;
		if (one === undefined) answer = undefined;
	}
	return answer;
}

function isTrueOfField(x, subject) {
	const { field, label } = x.path,
		values = field.values(label === undefined ? subject : { ...subject, label });
	if (values === undefined) return undefined;
	const answer = x.kind === "has" ? values.length > 0 : values.some((value) => holds(x, answersOf(x, [value])));
	return answer || !field.mayBeMore?.(subject) ? answer : undefined;
}

function isTrueOfValue(x, { facts, isPart, isUnknown }) {
	if (isUnknown) return undefined;
	if (x.kind === "has") return true;
	const answers = answersOf(x, facts);
	return isPart && !answers.includes(true) ? undefined : holds(x, answers);
}

function isTrueOfVariable(x, subject) {
	const values = valuesAt(subject, x.path);
	return values && decided(values, (value) => isTrueOfValue(x, value), true);
}

function usesValues(x) {
	x.usesValues ??= Boolean(x.path?.field.ofValues) || (x.parts ?? []).some(usesValues);
	return x.usesValues;
}

function isTrueOfFrame(x, subject, frames, frameIndex) {
	const frame = frames[frameIndex],
		isShared = typeof frame === "number";
	if (x.parts.length === 0) return true;
	const ask = () =>
		isTrue(x.parts[0], { ...subject, frameIndex, frame: isShared ? (subject.model.texts[frame] ?? {}) : frame });
	if (!isShared || usesValues(x)) return ask();
	x.ofFrame ??= new Map();
	if (!x.ofFrame.has(frame)) x.ofFrame.set(frame, ask());
	return x.ofFrame.get(frame);
}

// frames: their numbers among the texts of the page, or they themselves.
function isTrueOfFrames(x, subject, frames) {
	const ask = (index) => isTrueOfFrame(x, subject, frames, index);
	if (x.kind !== "count") return decided(frames.keys(), ask, x.kind === "any");
	const answers = Array.from(frames.keys(), ask);
	return answers.includes(undefined) ? undefined : holds(x, answersOf(x, [answers.filter(Boolean).length]));
}

function isTrueOfGroup(x, subject) {
	const { model, row } = subject,
		group = model.group(row);
	if (!group && model.totals.groups !== undefined && model.columns.group[row] >= 0) return undefined;
	if (!group) return subject.element && isTrueOfFrames(x, subject, [subject.element.frames ?? []].flat().map(Object));
	if (usesValues(x)) return isTrueOfFrames(x, subject, group.frames);
	x.ofGroup ??= new Map();
	if (!x.ofGroup.has(group.id)) x.ofGroup.set(group.id, isTrueOfFrames(x, subject, group.frames));
	return x.ofGroup.get(group.id);
}

function isOpposite(x, subject) {
	const answer = isTrue(x, subject);
	return answer === undefined ? answer : !answer;
}

// x: of parse.js. subject: see fields.js.
export function isTrue(x, subject) {
	if (x.kind === "constant") return x.truth;
	if (x.kind === "and" || x.kind === "or") return decided(x.parts, (part) => isTrue(part, subject), x.kind === "or");
	if (x.kind === "not") return isOpposite(x.parts[0], subject);
	if (!x.path) return isTrueOfGroup(x, subject);
	return x.path.field.ofValues ? isTrueOfVariable(x, subject) : isTrueOfField(x, subject);
}
