// SPDX-License-Identifier: Apache-2.0
// lexer.js - the words and signs of an expression of gosnap-filter(7), as lib/expression/lexer.c has them.
// Knows nothing of what they mean together.

const SIGNS = ["&&", "||", "==", "!=", "<=", ">=", "!~", ..."<>~!=()[].,-%"];
const TIME_UNITS = new Map([
	["ns", 1],
	["us", 1e3],
	["\u00b5s", 1e3],
	["ms", 1e6],
	["s", 1e9],
	["sec", 1e9],
	["m", 60e9],
	["min", 60e9],
	["h", 36e11],
	["d", 864e11],
]);
const SIZE = /^(B|[KMGT](i?B)?)$/;
const LARGEST = 2 ** 64;
const STRAY = new Map([
	["&", '"and" is &&'],
	["|", '"or" is ||'],
	["'", "a text is in double quotes"],
]);
const ESCAPES = { n: "\n", t: "\t", '"': '"', "\\": "\\" };

function lexedText(rest) {
	const len = /^(?:"(?:[^"\\]|\\[^])*\\?|`[^`]*)/.exec(rest)[0].length;
	if (rest[len] !== rest[0]) return { kind: "bad", len, why: "the text has no closing quote" };
	const inside = rest.slice(1, len);
	const words = rest[0] === "`" ? inside : inside.replace(/\\([nt"\\])/g, (_, c) => ESCAPES[c]);
	return { kind: "text", len: len + 1, words };
}

function lexedAddress(rest) {
	const len = /^0[xX][\da-fA-F]*/.exec(rest)[0].length,
		goesOn = /^[\w\u0080-\uffff]/.test(rest.slice(len, len + 1));
	if (len === 2 || goesOn)
		return { kind: "bad", len: len + goesOn, why: "an address has hexadecimal digits behind 0x" };
	if (len > 18) return { kind: "bad", len, why: "an address has at most 16 digits" };
	return { kind: "address", len, number: BigInt(rest.slice(0, len)) };
}

function sizeUnit(unit) {
	return SIZE.test(unit) ? 1024 ** "BKMGT".indexOf(unit[0]) : 0;
}

// 1h30m: all of it, the first unit being one of time.
function lexedDuration(rest) {
	let len = 0,
		number = 0;
	for (;;) {
		const part = /^(\d+(?:\.\d+)?)([a-zA-Z\u0080-\uffff]+)/.exec(rest.slice(len));
		if (!part || !TIME_UNITS.has(part[2])) return { kind: "duration", len, number };
		number += Number(part[1]) * TIME_UNITS.get(part[2]);
		len += part[0].length;
	}
}

// A bigint if it is no Number.
function exactNumber(digits) {
	const number = Number(digits);
	return Number.isSafeInteger(number) || digits.includes(".") ? number : BigInt(digits);
}

function lexedNumber(rest) {
	const [all, digits, unit] = /^(\d+(?:\.\d+)?)([a-zA-Z\u0080-\uffff]*)/.exec(rest);
	const token = { kind: "number", len: all.length, number: exactNumber(digits) };
	if (TIME_UNITS.has(unit)) Object.assign(token, lexedDuration(rest));
	else if (sizeUnit(unit)) Object.assign(token, { kind: "size", number: Number(digits) * sizeUnit(unit) });
	else if (unit) {
		const why = "a number has no such unit: use 5m, 90s or 200ms, or 4KiB or 2M";
		return { kind: "bad", len: token.len, why };
	}
	if (/^[\w\u0080-\uffff]/.test(rest.slice(token.len)))
		return { kind: "bad", len: token.len + 1, why: "a number ends with its unit" };
	return token.number > LARGEST ? { kind: "bad", len: token.len, why: "this number is too large" } : token;
}

function lexedSign(rest) {
	const sign = SIGNS.find((one) => rest.startsWith(one));
	if (sign) return { kind: "sign", len: sign.length, sign };
	return { kind: "bad", len: 1, why: STRAY.get(rest[0]) ?? "this character means nothing here" };
}

// What begins at a place behind spaces: its kind, where it is, and its words or number.
export function tokenAt(text, from) {
	const at = from + /^[ \t\n\v\f\r]*/.exec(text.slice(from))[0].length;
	const rest = text.slice(at);
	const name = /^[a-zA-Z_\u0080-\uffff][\w\u0080-\uffff]*/.exec(rest);
	let token;
	if (!rest) token = { kind: "end", len: 0 };
	else if (name) token = { kind: "name", len: name[0].length, words: name[0] };
	else if (/^["`]/.test(rest)) token = lexedText(rest);
	else if (/^0[xX]/.test(rest)) token = lexedAddress(rest);
	else if (/^\d/.test(rest)) token = lexedNumber(rest);
	else token = lexedSign(rest);
	return { at, ...token };
}
