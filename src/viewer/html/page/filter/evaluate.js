// SPDX-License-Identifier: Apache-2.0
// evaluate.js - is a condition true for a goroutine: true, false, or undefined if only the goroutine's element says
// so, which was not given. Frames are asked once each, and texts once for each regular expression.

// Numbers and bigints.
function ordered(how, a, b) {
	if (how === "<") return a < b;
	if (how === "<=") return a <= b;
	if (how === ">") return a > b;
	if (how === ">=") return a >= b;
	return !(a < b) && !(a > b);
}

const inLowerCase = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function matches(x, text) {
	x.matched ??= new Map();
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

// undefined: they cannot be compared.
function fitsLiteral(x, value, literal) {
	if (typeof value === "string") return literal.kind === "text" ? textFits(x, value, literal) : undefined;
	if (typeof value === "boolean") return literal.kind === "bool" ? value === literal.truth : undefined;
	if (value === null || literal.kind !== "number") return undefined;
	if (typeof value === "bigint" && !literal.isAddress) return undefined;
	return numberFits(x.how, value, literal);
}

function fitsValue(x, value) {
	const answers = x.literals.map((literal) => fitsLiteral(x, value, literal)).filter((answer) => answer !== undefined);
	const holds = answers.includes(true);
	return x.how === "!=" || x.how === "!~" ? answers.length > 0 && !holds : holds;
}

function isTrueOfField(x, subject) {
	const { field, label } = x.path,
		values = field.values(label === undefined ? subject : { ...subject, label });
	if (values === undefined || x.kind === "has") return values && values.length > 0;
	return values.some((value) => fitsValue(x, value));
}

// frames: their numbers among the texts of the page, or they themselves.
function isTrueOfFrames(x, subject, frames) {
	x.ofFrame ??= new Map();
	const holds = (frame) => {
		if (x.parts.length === 0) return true;
		if (!x.ofFrame.has(frame)) {
			const inside = { ...subject, frame: typeof frame === "number" ? (subject.model.texts[frame] ?? {}) : frame };
			x.ofFrame.set(frame, isTrue(x.parts[0], inside));
		}
		return x.ofFrame.get(frame);
	};
	if (x.kind === "any") return frames.some(holds);
	return x.kind === "all" ? frames.every(holds) : fitsValue(x, frames.filter(holds).length);
}

function isTrueOfGroup(x, subject) {
	const group = subject.model.group(subject.row);
	if (!group) return subject.element && isTrueOfFrames(x, subject, [subject.element.frames ?? []].flat());
	x.ofGroup ??= new Map();
	if (!x.ofGroup.has(group.id)) x.ofGroup.set(group.id, isTrueOfFrames(x, subject, group.frames));
	return x.ofGroup.get(group.id);
}

// One that decides is enough: false of &&, true of ||.
function isTrueOfParts(x, subject, deciding) {
	let answer = !deciding;
	for (const part of x.parts) {
		const one = isTrue(part, subject);
		if (one === deciding) return one;
		if (one === undefined) answer = undefined;
	}
	return answer;
}

function isOpposite(x, subject) {
	const answer = isTrue(x, subject);
	return answer === undefined ? answer : !answer;
}

// x: of parse.js. subject: see fields.js.
export function isTrue(x, subject) {
	if (x.kind === "constant") return x.truth;
	if (x.kind === "and") return isTrueOfParts(x, subject, false);
	if (x.kind === "or") return isTrueOfParts(x, subject, true);
	if (x.kind === "not") return isOpposite(x.parts[0], subject);
	return x.path ? isTrueOfField(x, subject) : isTrueOfGroup(x, subject);
}
