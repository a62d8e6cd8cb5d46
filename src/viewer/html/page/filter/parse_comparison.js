// SPDX-License-Identifier: Apache-2.0
// parse_comparison.js - what a field, count() or len() is compared with, and how.

import { FIELD_TYPES } from "./fields.js";
import { Ere } from "./ere.js";

const LITERALS_MAX = 4096;
const PATTERNS_MAX = 32;
const ORDERING = ["<", "<=", ">", ">="];
const COMPARING = ["==", "!=", ...ORDERING, "~", "!~"];
const NUMBERS_OF = {
	number: ["number", "address"],
	duration: ["duration"],
	size: ["size", "number"],
	address: ["address"],
	any: ["number", "duration", "size", "address"],
	text: [],
	bool: [],
};

// wanted: { name, type }
function wrongType(p, { name, type }) {
	const [typeName, example] = FIELD_TYPES[type];
	if (p.now.kind === "bad" || p.now.kind === "end") return p.expected(typeName);
	if (type === "text") return p.wrongHere(`${name} is text: write "${p.written()}"`);
	if (type === "any")
		return p.wrongHere(`expected a number, a text, true, false, nil or null: is it "${p.written()}"?`);
	return p.wrongHere(`${name} is ${typeName}: write ${example}`);
}

function takeNumber(p, wanted) {
	const negative = p.takes("-"),
		{ kind, number } = p.now;
	if (!NUMBERS_OF[wanted.type].includes(kind)) throw wrongType(p, wanted);
	p.advance();
	const low = negative ? -number : number;
	return { kind: "number", low, high: low, isAddress: kind === "address" };
}

function takeLiteral(p, wanted) {
	const any = wanted.type === "any",
		{ kind, words } = p.now;
	let literal;
	if (kind === "text" && (any || wanted.type === "text")) literal = { kind, words };
	else if ((p.isName("true") || p.isName("false")) && (any || wanted.type === "bool"))
		literal = { kind: "bool", truth: p.isName("true") };
	else if (p.isName("nil") && any) literal = { kind: "nil" };
	else return takeNumber(p, wanted);
	p.advance();
	return literal;
}

// "15-20": behind 15.
function takeRangeEnd(p, literal) {
	if (literal.kind !== "number" || !p.takes("-")) return;
	if (p.now.kind !== "number" && p.now.kind !== "address") throw p.expected("the last number of the range");
	literal.high = p.now.number;
	if (literal.low > literal.high) throw p.wrongHere("this range ends before it begins");
	p.advance();
}

function parseList(p, wanted) {
	const literals = [];
	p.needs("(", "and a list, as in (12, 15-20)");
	do {
		if (++p.literals > LITERALS_MAX) throw p.wrongHere(`its lists have more than ${LITERALS_MAX} items`);
		const literal = takeLiteral(p, wanted);
		takeRangeEnd(p, literal);
		literals.push(literal);
	} while (p.takes(","));
	p.needs(")", "or a comma");
	return literals;
}

function compiledPattern(p, { at, len, words }) {
	if (++p.patterns > PATTERNS_MAX)
		throw p.wrong(at, at + len, `it has more than ${PATTERNS_MAX} regular expressions`);
	try {
		return new Ere(words);
	} catch (error) {
		throw p.wrong(at, at + len, `invalid regular expression "${words.slice(0, 100)}": ${error.message}`);
	}
}

function parsePattern(p, { name, type }) {
	const pattern = p.now;
	if (pattern.kind !== "text") throw p.expected("a regular expression in quotes");
	if (type !== "text" && type !== "any")
		throw p.wrongHere(`${name} is ${FIELD_TYPES[type][0]}: regular expressions are for text`);
	p.advance();
	return compiledPattern(p, pattern);
}

function takeComparison(p) {
	const sign = p.isName("in") ? "in" : COMPARING.find((one) => p.isAt(one));
	if (sign) p.advance();
	return sign;
}

// Behind the sign.
function parseRightSide(p, how, wanted) {
	if (how === "in") return { literals: parseList(p, wanted) };
	if (how === "~" || how === "!~") return { ere: parsePattern(p, wanted), literals: [{ kind: "text" }] };
	const { at, len } = p.now,
		orders = ORDERING.includes(how);
	if (orders && (wanted.type === "text" || wanted.type === "bool"))
		throw p.wrongHere(`${wanted.name} is ${FIELD_TYPES[wanted.type][0]}: it is equal or not, but not less`);
	const literal = takeLiteral(p, wanted);
	if (orders && literal.kind !== "number") throw p.wrong(at, at + len, "only numbers are less or greater");
	return { literals: [literal] };
}

// A field by itself.
function asCondition(p, path, at) {
	const { name, type } = path.field,
		unfinished = p.now.kind === "end";
	if (type === "bool" || type === "any")
		return { kind: "compare", how: "==", path, literals: [{ kind: "bool", truth: true }] };
	if (p.now.kind === "bad" || p.isAt("=")) throw Object.assign(p.expected("a comparison"), { unfinished: false });
	const [typeName, example] = FIELD_TYPES[type];
	throw p.wrong(at, p.end, `${name} is ${typeName}, and is compared, as in ${name} == ${example}`, unfinished);
}

// at: where the field began.
export function parseComparison(p, path, at) {
	const how = takeComparison(p);
	if (!how) return asCondition(p, path, at);
	if (!p.isName("null") || (how !== "==" && how !== "!="))
		return { kind: "compare", how, path, ...parseRightSide(p, how, path.field) };
	p.advance();
	const has = { kind: "has", path };
	return how === "==" ? { kind: "not", parts: [has] } : has;
}

export function parseNumberComparison(p, name) {
	const how = takeComparison(p);
	if (!how) throw p.expected(`a comparison of ${name} with a number`);
	return { how, ...parseRightSide(p, how, { name, type: "number" }) };
}
