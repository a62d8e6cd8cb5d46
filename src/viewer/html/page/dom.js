// SPDX-License-Identifier: Apache-2.0
// dom.js - makes elements. Nothing of the document gets into the page but through here, as text or as the
// value of an attribute, and harmless; there is no other way in, above all no markup.

import { harmless, pieces } from "./text.js";
import { count } from "./units.js";

const SVG = "http://www.w3.org/2000/svg";

function addText(element, text) {
	for (const [piece, isEscape] of pieces(text)) {
		if (!isEscape) {
			element.append(piece);
			continue;
		}
		const shown = document.createElement("span");
		shown.className = "escape";
		shown.append(piece);
		element.append(shown);
	}
}

// Children: elements, strings, numbers, arrays of them; what is null, undefined or false is left out.
export function add(element, ...children) {
	for (const child of children.flat(Infinity)) {
		if (child === null || child === undefined || child === false) continue;
		if (child instanceof Node) element.append(child);
		else addText(element, String(child));
	}
	return element;
}

function prepare(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes)) {
		if (typeof value === "function") element.addEventListener(name, value);
		else if (value !== undefined && value !== false)
			element.setAttribute(name, harmless(value === true ? "" : value));
	}
	return add(element, ...children);
}

// A function among the attributes is a listener.
export function make(tag, attributes = {}, ...children) {
	return prepare(document.createElement(tag), attributes, children);
}

export function draw(tag, attributes = {}, ...children) {
	return prepare(document.createElementNS(SVG, tag), attributes, children);
}

export function replace(element, ...children) {
	element.replaceChildren();
	return add(element, ...children);
}

// The first items, each as element(item, index) makes it, and a button for as many again; around(button) takes its
// place where only such elements may be.
export function firstOf(items, most, element, around = (button) => button, from = 0, end = from + most) {
	const shown = items.slice(from, end).map((item, i) => element(item, from + i));
	if (end >= items.length) return shown;
	const button = make(
		"button",
		{ class: "more", click: () => button.show(end + most) },
		`${count(items.length - end)} more`,
	);
	const place = around(button);
	button.items = items;
	// Up to the one of that number.
	button.show = (upTo) => place.replaceWith(...firstOf(items, most, element, around, end, Math.max(end, upTo)));
	return [...shown, place];
}

// A list of terms: rows are [term, what is said of it]; those of which nothing is said are left out.
export function terms(rows) {
	const said = rows.filter(([, what]) => what !== undefined && what !== null && what !== "" && what !== false);
	return (
		said.length > 0 &&
		make(
			"dl",
			{ class: "terms" },
			said.map(([term, what]) => make("div", {}, make("dt", {}, term), make("dd", {}, what))),
		)
	);
}

// Opens a <details> because the address says so: then openedByHand() is false when it tells that it is open.
export function openByAddress(details) {
	if (details.open) return;
	details.byAddress = true;
	details.open = true;
}

export function openedByHand(details) {
	const byHand = details.open && !details.byAddress;
	details.byAddress = false;
	return byHand;
}
