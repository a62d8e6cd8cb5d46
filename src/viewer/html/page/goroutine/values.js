// SPDX-License-Identifier: Apache-2.0
// values.js - variables and values as a tree whose branches are made when they are opened, since objects refer
// to each other without end.

import { harmless, textOf } from "../text.js";
import { add, firstOf, make, openByAddress, openedByHand } from "../dom.js";
import { sorry } from "../boundary.js";
import { takeValue } from "../data/shapes.js";
import { noteHash } from "../route.js";
import { goroutineLink } from "./references.js";
import { notes, preview, wholeText } from "./preview.js";

const CHILDREN_SHOWN = 100;

// [name, value] of what lies in it.
function parts(value) {
	return [
		...(value.fields ?? []).map((field) => [textOf(field.name, "?"), field]),
		...(value.elements ?? []).map((element, i) => [`[${i}]`, element]),
		...(value.entries ?? []).map((one, i) => [
			`[${i}]`,
			{
				kind: "entry",
				fields: [
					{ ...one.key, name: "key" },
					{ ...one.value, name: "value" },
				],
			},
		]),
		...(value.senders ?? []).map((sender) => [
			`sender ${sender.goroutine}`,
			sender.value ?? { goroutine: sender.goroutine },
		]),
		...(value.receivers ?? []).map((goroutine) => ["receiver", { goroutine }]),
		...(value.captures ?? []).map((captured) => [textOf(captured.name, "?"), captured]),
		...(value.contexts ?? []).map((context, i) => [`context ${i}`, contextAsValue(context)]),
	];
}

function contextAsValue(context) {
	const fields = ["error", "cause", "key", "value"]
		.filter((name) => context[name])
		.map((name) => ({ ...context[name], name }));
	for (const name of ["type", "deadline"]) if (context[name]) fields.push({ name, text: textOf(context[name]) });
	return { kind: "context", text: textOf(context.kind), fields };
}

function canOpen(value) {
	return (
		parts(value).length > 0 ||
		value.object !== undefined ||
		value.target !== undefined ||
		wholeText(value) !== undefined ||
		Boolean(value.dynamic_value && canOpen(value.dynamic_value))
	);
}

// One variable, frame or set of them within a goroutine: what values need to be opened and named.
export class Place {
	constructor(source, model, hashOf, path = [], objects = []) {
		Object.assign(this, { source, model, hashOf, path, objects });
	}

	into(name) {
		return new Place(this.source, this.model, this.hashOf, [...this.path, name], this.objects);
	}

	through(object) {
		return new Place(this.source, this.model, this.hashOf, this.path, [...this.objects, object]);
	}
}

function nameLine(name, value) {
	const type = textOf(value.dynamic_type ?? value.type);
	return [
		make("span", { class: "name" }, name),
		" ",
		type && make("span", { class: "type" }, type),
		" ",
		make("span", { class: value.redacted ? "value redacted" : "value" }, preview(value)),
		notes(value).map((note) => make("span", { class: "note" }, " " + note)),
	];
}

// What a reference leads to: its own parts, so that a path is as Go spells it.
async function referred(value, place) {
	if (place.objects.includes(value.object)) return [make("p", { class: "quiet" }, "the same object as above")];
	const object = takeValue(await place.source.object(value.object));
	if (!object) return [make("p", { class: "quiet" }, "This page does not have the object; the snapshot may.")];
	const inside = place.through(value.object);
	return parts(object).length > 0 || object.object !== undefined
		? children(object, inside)
		: [node("*", object, inside)];
}

async function children(value, place) {
	const all = wholeText(value) === undefined ? [] : [make("pre", {}, wholeText(value))];
	all.push(...nodes(parts(value), place));
	if (value.dynamic_value) all.push(...(await children(value.dynamic_value, place)));
	if (value.target) all.push(...(await children(value.target, place)));
	if (value.object !== undefined) all.push(...(await referred(value, place)));
	return all;
}

// [name, value, step]: in paths the second of one name is name~2.
function withSteps(named) {
	const times = new Map();
	return named.map(([name, value]) => {
		const time = (times.get(name) ?? 0) + 1;
		times.set(name, time);
		return [name, value, time === 1 ? name : `${name}~${time}`];
	});
}

// The first ones, and a button for the others.
export function nodes(named, place) {
	return firstOf(withSteps(named), CHILDREN_SHOWN, ([name, value, step]) =>
		node(name, value, place.into(step), step),
	);
}

export function node(name, value, place, step = name) {
	if (value.goroutine !== undefined && !value.type)
		return make(
			"div",
			{ class: "leaf" },
			make("span", { class: "name" }, name),
			" ",
			goroutineLink(place.model, value.goroutine),
		);
	if (!canOpen(value)) return make("div", { class: "leaf", "data-name": step }, nameLine(name, value));
	const branch = make(
		"details",
		{ "data-name": step },
		make("summary", { "data-step": true }, nameLine(name, value)),
	);
	let filled;
	// Whoever follows a path waits for this.
	branch.fill = () =>
		(filled ??= children(value, place)
			.catch((error) => sorry("This value", error))
			.then((all) => add(branch, make("div", { class: "inside" }, all))));
	branch.addEventListener("toggle", () => {
		if (branch.open) branch.fill();
		if (openedByHand(branch)) noteHash(place.hashOf(place.path));
	});
	return branch;
}

// undefined: there is none.
function childOf(container, step) {
	const all = (selector) =>
		Array.from(container.querySelectorAll(`:scope > ${selector}, :scope > .inside > ${selector}`));
	const find = () => all("[data-name]").find((element) => element.dataset.name === harmless(step));
	if (find()) return find();
	for (const more of all(".more"))
		more.show(1 + more.items.findIndex(([, , left]) => harmless(left) === harmless(step)));
	return find();
}

// Opens what the path names, as far as it is there; returns the last one.
export async function openPath(container, path) {
	let found = container;
	for (const step of path) {
		const next = childOf(found, step);
		if (!next) return found;
		found = next;
		if (found.fill) {
			await found.fill();
			openByAddress(found);
		}
	}
	return found;
}
