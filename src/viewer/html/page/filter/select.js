// SPDX-License-Identifier: Apache-2.0
// select.js - which goroutines of a page an expression of gosnap-filter(7) selects, as gosnap serve answers it for
// the pages that it sends. What the rows do not say is asked of the elements of those goroutines that the page has,
// and of the objects that their values refer to: only of those whose rows do not decide it.

import { fieldNamed } from "./fields.js";
import { parseExpression } from "./parse.js";
import { WrongExpression } from "./reader.js";
import { Lookups } from "./values.js";
import { isTrue } from "./evaluate.js";

const TURN_MS = 24;
const TELL_MS = 400;

const COMPARES = /==|!=|&&|\|\||\s!?~|[\w\]][<>]=?\s*\d|[\w\]]\s+[<>](=\s*|\s+)\d/;
const OF_VARIABLE = /^[!(\s]*(var|label)[.[]/;
const CALLS = /\b(any|all|count|has|len|contains|in ?)\(/;

// Else they are words. "ledger >5m" is two of them; "waiting >5m" compares a field.
export function isExpression(text) {
	const [, name] = /([\w.]+)\s+[<>]\d/.exec(text) ?? [];
	const isField = name !== undefined && (fieldNamed(name) || OF_VARIABLE.test(name));
	return COMPARES.test(text) || CALLS.test(text) || OF_VARIABLE.test(text) || Boolean(isField);
}

function findingsById({ findings }) {
	const all = new Map();
	for (const { kind, goroutines } of findings ?? [])
		for (const id of typeof kind === "string" ? (goroutines ?? []) : []) {
			if (all.has(id)) all.get(id).push(kind);
			else all.set(id, [kind]);
		}
	return all;
}

// What runs long lets the page live now and then, and says how far it is.
class Turns {
	constructor(goesOn, tell) {
		Object.assign(this, { goesOn, tell });
		this.begun = this.told = performance.now();
	}

	// false: nobody wants to know any more.
	async next(state) {
		if (performance.now() - this.begun < TURN_MS) return true;
		await new Promise((resolve) => setTimeout(resolve));
		this.begun = performance.now();
		if (!this.goesOn()) return false;
		if (this.begun - this.told > TELL_MS) {
			this.tell(state());
			this.told = this.begun;
		}
		return true;
	}
}

class Selection {
	constructor(x, model, source, turns) {
		Object.assign(this, { x, model, source, turns, rows: [], undecided: 0, lookedAt: 0 });
		this.findings = findingsById(model.head);
		this.state = () => ({ rows: this.rows.sort((a, b) => a - b), lookedAt: this.lookedAt });
	}

	subject(row) {
		return { model: this.model, row, findings: this.findings };
	}

	// By what the rows say. Returns those of which it takes more.
	async passRows() {
		const unanswered = [];
		for (let row = 0; row < this.model.count; row++) {
			if (!(await this.turns.next(this.state))) return null;
			const answer = isTrue(this.x, this.subject(row));
			if (answer) this.rows.push(row);
			else if (answer === undefined) unanswered.push(row);
		}
		return unanswered;
	}

	// By what they are, and what their values refer to, as far as that is there. Returns those of which more is needed.
	ask(subjects) {
		return subjects.filter((subject) => {
			subject.lookups.needs.clear();
			const answer = isTrue(this.x, subject);
			if (answer === undefined && subject.lookups.needs.size > 0) return true;
			if (answer) this.rows.push(subject.row);
			else if (answer === undefined) this.undecided++;
			return false;
		});
	}

	// All that these need, block by block. What a whole page has not is not in the document, either.
	async lookUp(subjects) {
		const needed = new Map();
		for (const { lookups } of subjects)
			for (const number of lookups.needs) {
				if (needed.has(number)) needed.get(number).push(lookups);
				else needed.set(number, [lookups]);
			}
		const none = this.model.head.page.whole ? null : undefined;
		for await (const objects of this.source.objectsOf([...needed.keys()]))
			for (const [number, object] of objects)
				for (const lookups of needed.get(number)) lookups.objects.set(number, object ?? none);
	}

	async passElements(elements) {
		const subjects = [];
		for (const [row, element] of elements)
			if (element) subjects.push({ ...this.subject(row), element, lookups: new Lookups() });
			else this.undecided++;
		let left = this.ask(subjects);
		while (left.length > 0 && (await this.turns.next(this.state))) {
			await this.lookUp(left);
			left = this.ask(left);
		}
		this.lookedAt += elements.length;
	}

	async run() {
		const unanswered = await this.passRows();
		if (!unanswered) return;
		this.lookedAt = this.model.count - unanswered.length;
		for await (const elements of this.source.goroutinesOf(unanswered)) {
			await this.passElements(elements);
			if (!(await this.turns.next(this.state))) return;
		}
	}
}

// { rows, undecided: how many goroutines it would take more than the page has of them }, or { error, column,
// unfinished }. goesOn(): somebody still wants to know. tell({ rows, lookedAt }): what has been found so far, of
// how many goroutines.
export async function selectWhere(expression, model, source, goesOn = () => true, tell = () => {}) {
	try {
		const selection = new Selection(parseExpression(expression), model, source, new Turns(goesOn, tell));
		await selection.run();
		return { rows: selection.state().rows, undecided: selection.undecided };
	} catch (error) {
		if (!(error instanceof WrongExpression)) throw error;
		const { message, column, unfinished } = error;
		return { error: message, column, unfinished };
	}
}
