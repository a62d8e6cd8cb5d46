// SPDX-License-Identifier: Apache-2.0
// flame.js - goroutines by their stacks, as an icicle: outermost calls on top, as wide as goroutines are in
// them. A click makes a call as wide as the page.

import { textOf } from "../text.js";
import { count, counted } from "../units.js";
import { make, replace } from "../dom.js";
import { functionOf } from "../data/model.js";
import { goroutinesHash, groupHash } from "../route.js";

const NARROWEST = 4; // pixels; what is narrower has no room for a letter
const DEEPEST = 200; // calls drawn; a click leads deeper
const GROUPS_NAMED = 12;

function callOf(name, outer) {
	return { name, outer, count: 0, inner: new Map(), groups: [] };
}

// Equal calls from the outside are one.
function treeOf(model, withHidden) {
	const root = callOf(model.totals.groups === undefined ? "all goroutines" : "goroutines of these groups", null);
	for (const group of model.groups) {
		let at = root;
		for (const frame of [null, ...model.framesOf(group).toReversed()]) {
			if (frame?.hidden && !withHidden) continue;
			if (frame) {
				const name = functionOf(frame);
				if (!at.inner.has(name)) at.inner.set(name, callOf(name, at));
				at = at.inner.get(name);
			}
			at.count += group.count;
			at.groups.push(group);
		}
	}
	return root;
}

function kindOf(name) {
	if (name.startsWith("main.")) return "own";
	return name.split("/")[0].includes(".") && name.includes("/") ? "library" : "standard";
}

// [call, left, width, depth] of what can be seen, in fractions of the whole.
function* boxes(call, narrowest, left = 0, width = 1, depth = 0) {
	yield [call, left, width, depth];
	if (depth === DEEPEST) return;
	let at = left;
	for (const inner of [...call.inner.values()].sort((a, b) => b.count - a.count)) {
		const wide = (width * inner.count) / call.count;
		if (wide >= narrowest) yield* boxes(inner, narrowest, at, wide, depth + 1);
		at += wide;
	}
}

function box([call, left, width, depth], zoom) {
	const element = make(
		"button",
		{
			class: `call ${kindOf(call.name)}`,
			title: `${call.name}: ${count(call.count)}`,
			click: () => zoom(call),
		},
		call.name,
		make("span", { class: "quiet" }, ` ${count(call.count)}`),
	);
	element.style.left = `${left * 100}%`;
	element.style.width = `${width * 100}%`;
	element.style.top = `${depth * 20}px`;
	return element;
}

function outward(call) {
	const calls = [];
	for (let at = call; at; at = at.outer) calls.unshift(at);
	return calls;
}

function aboutCall(call, zoom) {
	return [
		outward(call).map((outer, i) => [
			i > 0 && " › ",
			make("button", { class: "crumb", click: () => zoom(outer) }, outer.name),
		]),
		make(
			"p",
			{ class: "quiet" },
			counted(call.count, "goroutine"),
			" in ",
			counted(call.groups.length, "group"),
			": ",
			call.groups
				.slice(0, GROUPS_NAMED)
				.map((group) => [make("a", { href: groupHash(group.id) }, count(group.count)), " "]),
			call.groups.length > GROUPS_NAMED && "… ",
			call.outer &&
				make("a", { href: goroutinesHash(textOf(call.name).toLowerCase()) }, "all with this function"),
		),
	];
}

export function flameView(model) {
	const picture = make("div", { class: "icicle" });
	const about = make("div", { class: "bar about" });
	const hidden = make("input", { type: "checkbox", change: () => zoom(treeOf(model, hidden.checked)) });
	const frame = make(
		"div",
		{ class: "scroll", tabindex: 0, role: "region", "aria-label": "Goroutines by stack" },
		picture,
	);
	function zoom(call) {
		const narrowest = NARROWEST / Math.max(300, frame.clientWidth || innerWidth);
		const all = [...boxes(call, narrowest)];
		replace(
			picture,
			all.map((one) => box(one, zoom)),
		);
		picture.style.height = `${(Math.max(...all.map(([, , , depth]) => depth)) + 1) * 20}px`;
		replace(about, make("div", {}, aboutCall(call, zoom)), make("label", {}, hidden, " hidden frames"));
	}
	zoom(treeOf(model, false));
	return { element: make("div", { class: "pane" }, about, frame) };
}
