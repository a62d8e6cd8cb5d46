// SPDX-License-Identifier: Apache-2.0
// stack.js - the frames of a goroutine, thread or group, with their variables where there are any.

import { textOf } from "../text.js";
import { count, counted } from "../units.js";
import { add, make, openByAddress, openedByHand, terms } from "../dom.js";
import { attempt } from "../boundary.js";
import { placeOf } from "../data/model.js";
import { frameLine } from "./references.js";
import { nodes } from "./values.js";

function badges(frame) {
	return [
		frame.inlined && "inlined",
		textOf(frame.kind),
		frame.language === "c" && "C",
		frame.found_by && `found by ${textOf(frame.found_by)}`,
	]
		.filter(Boolean)
		.map((word) => make("span", { class: "badge" }, word));
}

function facts(frame, words) {
	const repeated = frame.repeated;
	return terms([
		["file", placeOf(frame)],
		["pc", textOf(frame.pc)],
		["words", words && (typeof words === "string" ? words : `(${textOf(words.unreadable ?? words.redacted)})`)],
		["repeated", repeated && `${counted(repeated.frames, "frame")}, ${count(repeated.times)} more times`],
		["no variables", textOf(frame.values_unreadable)],
		["some omitted", textOf(frame.values_omitted_by)],
		["slots missing", textOf(frame.locals_unreadable)],
	]);
}

function variables(frame, place) {
	const all = [...(frame.arguments ?? []), ...(frame.locals ?? [])];
	return nodes(
		all.map((variable) => [textOf(variable.name, "?"), variable]),
		place,
	);
}

function frameElement(frame, index, options) {
	const { words, placeOfFrame } = options;
	const element = make(
		"details",
		{
			class: frame.hidden ? "frame hidden-frame" : "frame",
			"data-frame": index,
		},
		make(
			"summary",
			{ "data-step": true },
			make("span", { class: "number" }, index),
			" ",
			frameLine(frame),
			badges(frame),
		),
	);
	let filled = false;
	element.fill = () => {
		if (filled) return;
		filled = true;
		const place = placeOfFrame?.(index);
		const inside = () => [facts(frame, words?.[index] ?? frame.argument_words), place && variables(frame, place)];
		add(element, attempt("This frame", inside));
	};
	element.addEventListener("toggle", () => {
		if (element.open) element.fill();
		if (openedByHand(element)) options.opened?.(index);
	});
	return element;
}

// A run of hidden frames is one line, until it is opened; a stack of nothing else is not.
function foldHidden(frames, elements) {
	if (frames.every((frame) => frame.hidden)) return elements;
	const shown = [];
	for (let i = 0; i < frames.length; ) {
		let end = i;
		while (end < frames.length && frames[end].hidden) end++;
		if (end === i) {
			shown.push(elements[i++]);
			continue;
		}
		shown.push(
			make(
				"details",
				{ class: "hidden-run" },
				make("summary", { "data-step": true }, counted(end - i, "hidden frame")),
				elements.slice(i, end),
			),
		);
		i = end;
	}
	return shown;
}

// options: placeOfFrame(index), for values; words of arguments; opened(index), by hand; first, the frame to open.
export function stackElement(frames, options = {}) {
	const elements = frames.map((frame, index) => frameElement(frame, index, options));
	const stack = make("div", { class: "stack", "data-steps": true }, foldHidden(frames, elements));
	const hasVariables = (frame) => frame.arguments || frame.locals;
	const first = options.first ?? frames.findIndex((frame) => !frame.hidden && hasVariables(frame));
	if (options.placeOfFrame && first >= 0) openFrame(stack, first);
	return stack;
}

// Returns the element; null: there is no such frame.
export function openFrame(stack, index) {
	const element = stack.querySelector(`[data-frame="${Number(index)}"]`);
	if (!element) return null;
	element.fill();
	for (let outer = element; outer && outer !== stack; outer = outer.parentElement)
		if (outer.tagName === "DETAILS") openByAddress(outer);
	return element;
}
