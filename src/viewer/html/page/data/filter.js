// SPDX-License-Identifier: Apache-2.0
// filter.js - which goroutines a line of words selects. All words must be in what the list or the stack
// says of a goroutine; -word must not; >5m and <1s compare how long it has waited.

import { textOf } from "../text.js";
import { placeOf } from "./model.js";

const AGE = /^([<>])(\d+(?:\.\d+)?)(ns|us|ms|s|m|min|h|d)$/;
const UNITS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, m: 60e9, min: 60e9, h: 3600e9, d: 86400e9 };
const SEARCHED = ["status", "wait_reason", "wait_kind", "wait_address", "created_by", "labels"];

function wordsIn(text) {
	if (Array.isArray(text)) return text.map((label) => textOf(label.key) + "=" + textOf(label.value)).join(" ");
	return text && typeof text === "object" ? textOf(text.function) + " " + placeOf(text) : textOf(text);
}

export class Filter {
	constructor(model) {
		this.model = model;
		this.searched = model.texts.map((text) => wordsIn(text).toLowerCase());
	}

	// Each text is looked at once, not once for each goroutine that has it.
	hasWord(word) {
		const { columns } = this.model;
		const inText = this.searched.map((text) => text.includes(word));
		const inGroup = new Map(
			this.model.groups.map((group) => [group.id, group.frames.some((number) => inText[number])]),
		);
		return (row) =>
			inGroup.get(columns.group[row]) ||
			String(columns.id[row]) === word ||
			SEARCHED.some((name) => inText[columns[name][row]]);
	}

	isOlder(sign, ns) {
		const ages = this.model.columns.waiting_ns;
		return (row) => ages[row] >= 0 && (sign === ">" ? ages[row] > ns : ages[row] < ns);
	}

	test(word) {
		const age = AGE.exec(word);
		if (age) return this.isOlder(age[1], Number(age[2]) * UNITS[age[3]]);
		if (!word.startsWith("-") || word === "-") return this.hasWord(word);
		const has = this.hasWord(word.slice(1));
		return (row) => !has(row);
	}

	// Rows, in the order of the document.
	rows(line, withSystem) {
		const tests = line
			.toLowerCase()
			.split(/\s+/)
			.filter(Boolean)
			.map((word) => this.test(word));
		const rows = [];
		for (let row = 0; row < this.model.count; row++)
			if ((withSystem || !this.model.isSystem(row)) && tests.every((test) => test(row))) rows.push(row);
		return rows;
	}
}
