// SPDX-License-Identifier: Apache-2.0
// left_out.js - how much of the snapshot a page has that could not have all: in words, and what a count is of.

import { bytes, count, counted } from "../units.js";
import { make } from "../dom.js";

const KINDS = ["goroutines", "groups", "findings", "waits", "threads", "warnings"];

function sizeWords({ max_bytes: most }) {
	return most === undefined ? "" : ` in ${bytes(most)}`;
}

// How many of one kind the page has, of how many; undefined: all.
function partOf(model, kind) {
	const all = model.totals[kind];
	if (all === undefined) return undefined;
	const here = kind === "goroutines" ? model.count : (model.head[kind] ?? []).length;
	return `${count(here)} of ${count(all)} ${kind}`;
}

// undefined: all goroutines, groups and so on are there.
export function partsLeftOut(model) {
	const parts = KINDS.map((kind) => partOf(model, kind)).filter(Boolean);
	if (parts.length === 0) return undefined;
	const which = [
		model.totals.goroutines !== undefined &&
			"Goroutines are those that the fault and findings name, who holds what others wait for, who has waited longest, and samples of each group.",
		model.totals.groups !== undefined && "Groups are the largest ones.",
	];
	return [
		`There is no room${sizeWords(model.head.page)} for the whole snapshot: this page has ${parts.join(", ")}.`,
		...which,
		"gosnap serve shows everything.",
	]
		.filter(Boolean)
		.join(" ");
}

export function valuesLeftOut(model) {
	if (model.head.page.whole) return undefined;
	return (
		`There is no room${sizeWords(model.head.page)} for all values: the page has them of those goroutines that findings name, ` +
		"and of the first ones of each group. gosnap serve and gosnap show have all."
	);
}

// "3 of 10", or "3 of the 10 in this page".
export function countedHere(model, found) {
	return `${count(found)} of ${isPart(model) ? `the ${count(model.count)} in this page` : count(model.count)}`;
}

export function isPart(model) {
	return model.totals.goroutines !== undefined;
}

export function allGoroutines(model) {
	return counted(model.totals.goroutines ?? model.count, "goroutine");
}

// What a list ends with that has not all of its kind; undefined: it has.
export function moreElsewhere(model, kind) {
	const all = model.totals[kind],
		left = all - (model.head[kind] ?? []).length;
	return left > 0 ? `${count(left)} more of ${count(all)} ${kind} have no room in this page.` : undefined;
}

export function moreLine(model, kind) {
	const words = moreElsewhere(model, kind);
	return words && make("p", { class: "quiet" }, words);
}

export function noneHere(model, kind, name) {
	return model.totals[kind] === undefined
		? `This snapshot has no ${name}.`
		: `This page does not have ${name}: ${partOf(model, kind)} have room in it. gosnap serve shows all.`;
}
