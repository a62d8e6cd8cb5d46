// SPDX-License-Identifier: Apache-2.0
// model.js - the snapshot as views see it: goroutines by row and id, groups, frames, who waits for whom.
// Knows the members of the document; keeps no values of variables.

import { textOf } from "../text.js";
import { takeHead, takeShared } from "./shapes.js";

// As in columns.c.
const COLUMNS = [
	"id",
	"group",
	"waiting_ns",
	"thread",
	"stack_bytes",
	"runtime",
	"status",
	"wait_reason",
	"wait_kind",
	"wait_address",
	"created_by",
	"labels",
	"flags",
];
const SYSTEM = 1,
	LOCKED = 2,
	WHOLE = 4,
	PANICS = 8;

const OF_RUNTIME = /^(runtime|internal\/runtime|internal\/poll|sync|internal\/sync|syscall)[./]/;

export class Model {
	constructor({ head, texts, columns }) {
		this.wrong = new Set(); // members that are not as they should be
		this.head = takeHead(head, this.wrong);
		this.texts = texts.map((text) => takeShared(text, this.wrong));
		this.columns = Object.fromEntries(COLUMNS.map((name, i) => [name, columns[i]]));
		this.count = this.columns.id.length;
		this.totals = head.page.totals ?? {}; // by kind, of what the page has not all of
		this.groups = (head.groups ?? []).map((group) => ({
			...group,
			count: group.count ?? 0,
			frames: group.frames ?? [],
		}));
		this.groupById = new Map(this.groups.map((group) => [group.id, group]));
		this.waits = head.waits ?? [];
		this.waitByAddress = new Map(this.waits.map((wait) => [wait.address, wait]));
		this.rowById = new Map();
		for (let row = this.count - 1; row >= 0; row--) this.rowById.set(this.nameOf(row), row);
		this.membersOfGroup = null;
	}

	// The id; of another runtime than the first, with a number that is of this page only.
	nameOf(row) {
		const runtime = this.columns.runtime[row];
		return this.columns.id[row] + (runtime ? "@" + runtime : "");
	}

	rowOf(name) {
		return this.rowById.get(String(name));
	}

	text(column, row) {
		return textOf(this.texts[this.columns[column][row]]);
	}

	isSystem(row) {
		return (this.columns.flags[row] & SYSTEM) !== 0;
	}

	isLocked(row) {
		return (this.columns.flags[row] & LOCKED) !== 0;
	}

	panics(row) {
		return (this.columns.flags[row] & PANICS) !== 0;
	}

	// Does the page have its values? What was left out at the end, for want of room, is only known later.
	isWhole(row) {
		return (this.columns.flags[row] & WHOLE) !== 0;
	}

	state(row) {
		return this.text("wait_reason", row) || this.text("status", row);
	}

	// undefined: not known.
	age(row) {
		const ns = this.columns.waiting_ns[row];
		return ns < 0 ? undefined : ns;
	}

	labels(row) {
		const labels = this.texts[this.columns.labels[row]];
		return Array.isArray(labels) ? labels : [];
	}

	group(row) {
		return this.groupById.get(this.columns.group[row]);
	}

	framesOf(group) {
		const frameAt = (number) => Object(this.texts[number]); // of what is no frame, one of which nothing is known
		return group ? group.frames.map(frameAt) : [];
	}

	members(group) {
		if (!this.membersOfGroup) {
			this.membersOfGroup = new Map();
			this.columns.group.forEach((id, row) => {
				const rows = this.membersOfGroup.get(id);
				if (rows) rows.push(row);
				else this.membersOfGroup.set(id, [row]);
			});
		}
		return this.membersOfGroup.get(group.id) ?? [];
	}

	// The innermost call that is not the runtime's own; of a goroutine of the runtime, where it began.
	mainFrame(group) {
		const all = this.framesOf(group);
		const shown = all.filter((frame) => !frame.hidden);
		return (
			shown.find((frame) => !OF_RUNTIME.test(textOf(frame.function))) ??
			shown[0] ??
			all.findLast((frame) => textOf(frame.function) !== "runtime.goexit")
		);
	}

	// Those that have what a goroutine waits for.
	holders(address) {
		const partners = this.waitByAddress.get(address)?.partners ?? [];
		return partners.filter((partner) => partner.holds);
	}

	// Whom a reader should see first: the goroutine that failed, else the evidence of the worst finding.
	firstGoroutine() {
		const { fault, findings, trigger } = this.head;
		const names = [
			fault?.goroutine,
			trigger?.goroutine,
			...(findings ?? []).flatMap((f) => f.goroutines ?? []),
		];
		return names.find((name) => this.rowOf(name) !== undefined);
	}
}

export function functionOf(frame) {
	return textOf(frame?.function) || textOf(frame?.object_file) || textOf(frame?.pc, "?");
}

export function placeOf(frame) {
	const file = textOf(frame?.file);
	return file ? file + (frame.line === undefined ? "" : ":" + frame.line) : textOf(frame?.object_file);
}
