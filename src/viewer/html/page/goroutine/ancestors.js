// SPDX-License-Identifier: Apache-2.0
// ancestors.js - the goroutines from which one descends, nearest first, each with its stack when it started the next.

import { textOf } from "../text.js";
import { counted } from "../units.js";
import { add, firstOf, make, terms } from "../dom.js";
import { attempt } from "../boundary.js";
import { frameLine, goroutineLink } from "./references.js";
import { stackElement } from "./stack.js";

const ANCESTORS_SHOWN = 40;

function insideAncestor(model, { goroutine, frames, created_by, truncated, unreadable }) {
	return [
		terms([
			["goroutine", goroutine !== undefined && goroutineLink(model, goroutine)],
			["created by", created_by && frameLine(created_by)],
			["cut off", truncated === true && "its stack was deeper than the runtime records"],
			["unreadable", textOf(unreadable)],
		]),
		frames && frames.length > 0 && stackElement(frames),
	];
}

function ancestorElement(model, ancestor) {
	const { goroutine, frames, omitted, unreadable } = ancestor;
	if (goroutine === undefined && omitted !== undefined)
		return make("p", { class: "quiet" }, `${counted(omitted, "more ancestor")} omitted`);
	if (goroutine === undefined) return make("p", { class: "quiet" }, textOf(unreadable, "an ancestor without an id"));
	const element = make(
		"details",
		{ class: "thread" },
		make("summary", { "data-step": true }, `goroutine ${goroutine} `, frames?.[0] && frameLine(frames[0])),
	);
	element.fill = () => {
		if (element.childElementCount === 1) add(element, attempt("This ancestor", () => insideAncestor(model, ancestor)));
	};
	element.addEventListener("toggle", () => element.fill());
	return element;
}

export function ancestorsElements(model, ancestors) {
	return (
		ancestors?.length > 0 && [
			make("h3", {}, "Descends from"),
			make(
				"div",
				{ class: "stack", "data-steps": true },
				firstOf(ancestors, ANCESTORS_SHOWN, (ancestor) => ancestorElement(model, ancestor)),
			),
		]
	);
}
