// SPDX-License-Identifier: Apache-2.0
// preview.js - a value in a few words, without what it refers to. values.js opens it.

import { shortened, textOf } from "../text.js";
import { count, counted } from "../units.js";

const PREVIEW_LENGTH = 160,
	PREVIEW_DEPTH = 3;

function quoted(text) {
	return '"' + text.replace(/["\\]/g, "\\$&") + '"';
}

function list(values, more, depth, one) {
	const shown = values.slice(0, 6).map((value) => one(value, depth - 1));
	if (more || values.length > shown.length) shown.push("…");
	return shown.join(", ");
}

function sequence(value, depth) {
	const length = value.len === undefined ? "" : count(value.len) + ": ";
	return depth > 0 && value.elements.length > 0
		? `[${length}${list(value.elements, value.omitted, depth, words)}]`
		: `[${length || "0"}]`.replace(": ", "");
}

function ofChannel(value) {
	const waiting = [
		[value.receivers, "receive"],
		[value.senders, "send"],
	]
		.filter(([who]) => who?.length)
		.map(([who, what]) => `, ${who.length} wait to ${what}`);
	return value.cap === undefined
		? "channel"
		: `channel, ${value.len ?? "?"} of ${value.cap}${value.closed ? ", closed" : ""}${waiting.join("")}`;
}

function entry({ key, value }, depth) {
	return words(key, depth) + ": " + words(value, depth);
}

function ofParts(value, depth) {
	if (value.kind === "chan" && value.len !== undefined) return ofChannel(value);
	if (value.fields)
		return depth > 0
			? `{${list(value.fields, value.omitted, depth, (f, d) => textOf(f.name) + ": " + words(f, d))}}`
			: "{…}";
	if (value.entries)
		return depth > 0
			? `map[${list(value.entries, value.omitted, depth, entry)}]`
			: `map, ${value.entries.length} entries`;
	if (value.elements) return sequence(value, depth);
	if (value.bytes !== undefined) return `${counted(value.len ?? value.bytes.length / 2, "byte")}: ${value.bytes}`;
	return undefined;
}

function ofReference(value) {
	if (value.function !== undefined) return "func " + textOf(value.function);
	if (value.goroutine !== undefined) return `goroutine ${value.goroutine}`;
	if (value.seen !== undefined) return `as above, at ${value.seen}`;
	return value.to === undefined ? undefined : `→ ${value.to}`;
}

function plain(value) {
	if (typeof value.value === "string" && value.encoding) return `hex ${value.value}`;
	const isText = value.kind === "string" || value.type === "string";
	return typeof value.value === "string" && isText ? quoted(value.value) : textOf(value.value);
}

// What is in its place if there is no value.
function absent(value) {
	if (value.optimized_out) return "(optimized out)";
	if (value.unreadable !== undefined) return `(unreadable: ${textOf(value.unreadable)})`;
	return value.nil ? "nil" : undefined;
}

// Any length; the caller shortens it.
function words(value, depth) {
	if (!value || typeof value !== "object") return textOf(value, "?");
	const known = absent(value);
	if (known !== undefined) return known;
	if (value.text !== undefined) return textOf(value.text);
	if (value.value !== undefined) return plain(value);
	if (value.real !== undefined) return `${value.real} + ${value.imag}i`;
	if (value.dynamic_value) return words(value.dynamic_value, depth);
	return ofParts(value, depth) ?? ofReference(value) ?? (value.redacted ? "[redacted]" : "?");
}

export function preview(value) {
	return shortened(words(value, PREVIEW_DEPTH), PREVIEW_LENGTH);
}

// All of a text, for where there is room.
export function wholeText(value) {
	const text = value?.text ?? value?.value;
	return typeof text === "string" && text.length > PREVIEW_LENGTH ? text : undefined;
}

// What has to be known about it: each is a word or two.
export function notes(value) {
	return [
		value.redacted && `redacted: ${textOf(value.redacted)}`,
		value.dead && "no longer needed",
		value.may_be_unset && "may be unset",
		value.shadowed && "shadowed",
		value.is_result && "result",
		value.captured && "captured",
		value.escaped && "on the heap",
		value.skipped && `${counted(value.skipped, "byte")} before it not in use`,
		value.omitted &&
			`${count(value.omitted)} omitted` + (value.limited_by ? `: ${textOf(value.limited_by)}` : ""),
		!value.omitted && value.limited_by && `not followed: ${textOf(value.limited_by)}`,
		value.zeros && `and ${counted(value.zeros, "zero byte")}`,
		value.referrers && `${count(value.referrers)} references`,
	].filter(Boolean);
}
