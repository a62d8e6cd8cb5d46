// SPDX-License-Identifier: Apache-2.0
// text.js - strings of the document, which may be anybody's: what would steer the page, hide or turn round
// what stands beside it is shown as an escape. Knows no elements.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;
const NAMED = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };

function escaped(character) {
	const code = character.codePointAt(0);
	if (character in NAMED) return NAMED[character];
	return code < 0x100 ? "\\x" + code.toString(16).padStart(2, "0") : "\\u{" + code.toString(16) + "}";
}

// A string without them.
export function harmless(text) {
	return String(text).replace(HIDDEN, escaped);
}

// The same in pieces: [text, whether it is an escape].
export function pieces(text) {
	const all = [];
	let end = 0;
	for (const found of text.matchAll(HIDDEN)) {
		if (found.index > end) all.push([text.slice(end, found.index), false]);
		all.push([escaped(found[0]), true]);
		end = found.index + found[0].length;
	}
	if (end < text.length) all.push([text.slice(end), false]);
	return all;
}

// A Text of the document is a string, or bytes that are none.
export function textOf(value, fallback = "") {
	if (value === undefined || value === null) return fallback;
	if (typeof value === "object") return typeof value.hex === "string" ? "hex " + value.hex : fallback;
	return String(value);
}

export function shortened(text, length) {
	return text.length > length ? text.slice(0, length - 1) + "…" : text;
}
