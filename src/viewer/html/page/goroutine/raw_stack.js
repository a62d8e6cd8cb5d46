// SPDX-License-Identifier: Apache-2.0
// raw_stack.js - the words of a stack, and what is known of each, if the snapshot has them.

import { textOf } from "../text.js";
import { counted } from "../units.js";
import { add, firstOf, make } from "../dom.js";

const WORDS_SHOWN = 256;

function numberOf(address) {
	return /^0x[0-9a-f]+$/.test(address) ? BigInt(address) : undefined;
}

// What is where, by address: [sentence]
function knownOf(raw) {
	const known = new Map();
	const note = (address, what) => {
		const at = numberOf(address);
		if (at !== undefined) known.set(at, [...(known.get(at) ?? []), what]);
	};
	for (const frame of raw.frames ?? []) {
		note(frame.low, `${textOf(frame.function)} begins`);
		note(frame.return_address_at, `return address of ${textOf(frame.function)}`);
		note(frame.frame_pointer_at, `frame pointer that ${textOf(frame.function)} saved`);
	}
	for (const place of raw.places ?? [])
		note(
			place.address,
			`${textOf(place.kind)} ${textOf(place.name)} ${textOf(place.type)}${place.dead ? ", no longer needed" : ""}`,
		);
	for (const [name, value] of Object.entries(raw.registers ?? {})) note(textOf(value), `${name} points here`);
	return known;
}

function someWords(raw, known, code) {
	const base = numberOf(raw.address) ?? 0n;
	const row = (word, i) => {
		const at = base + BigInt(i * 8);
		const said = [...(known.get(at) ?? []), code.has(word) && `→ ${textOf(code.get(word).function)}`].filter(
			Boolean,
		);
		return make(
			"tr",
			{},
			make("th", { scope: "row" }, "0x" + at.toString(16)),
			make("td", {}, textOf(word, "not readable")),
			make("td", {}, said.join("; ")),
		);
	};
	return firstOf(raw.words, WORDS_SHOWN, row, (button) => make("tr", {}, make("td", { colspan: 3 }, button)));
}

function wordsTable(raw) {
	const code = new Map((raw.code ?? []).map((one) => [one.address, one]));
	return make("table", { class: "rows ages" }, make("tbody", {}, someWords(raw, knownOf(raw), code)));
}

export function rawStackElement(raw) {
	if (!raw) return false;
	if (!raw.words) return make("p", { class: "quiet" }, `The raw stack is not there: ${textOf(raw.omitted_by)}`);
	const element = make("details", {}, make("summary", {}, `Raw stack: ${counted(raw.words.length, "word")}`));
	element.addEventListener("toggle", () => element.childElementCount === 1 && add(element, wordsTable(raw)));
	return element;
}
