// SPDX-License-Identifier: Apache-2.0
// references.js - mentions of goroutines, which lead to them. Their addresses are made of numbers only.

import { textOf } from "../text.js";
import { counted, duration, shortFile } from "../units.js";
import { make } from "../dom.js";
import { functionOf, placeOf } from "../data/model.js";
import { goroutineHash } from "../route.js";

export function goroutineLink(model, name, text = `goroutine ${name}`) {
	if (model.rowOf(name) === undefined) return text;
	return make("a", { href: goroutineHash(name), class: "reference" }, text);
}

// The first ones, and how many more there are.
export function goroutineLinks(model, names, most = 12) {
	const shown = names.slice(0, most).map((name) => [goroutineLink(model, name, String(name)), " "]);
	return [shown, names.length > most && `and ${counted(names.length - most, "more", "more")}`];
}

// A frame's function and where it is.
export function frameLine(frame) {
	const file = textOf(frame?.file);
	return [
		make("span", { class: "function" }, functionOf(frame)),
		" ",
		make(
			"span",
			{ class: "place", title: placeOf(frame) },
			file ? shortFile(file) + (frame.line === undefined ? "" : ":" + frame.line) : placeOf(frame),
		),
	];
}

export function stateOf(model, row) {
	const age = model.age(row);
	return [model.state(row), age !== undefined && ", " + duration(age)];
}
