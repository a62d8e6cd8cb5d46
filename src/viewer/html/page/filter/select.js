// SPDX-License-Identifier: Apache-2.0
// select.js - which goroutines of a page an expression of gosnap-filter(7) selects, as gosnap serve answers it for
// the pages that it sends. What the rows do not say is asked of the elements of those goroutines that the page has.

import { fieldNamed } from "./fields.js";
import { parseExpression } from "./parse.js";
import { WrongExpression } from "./reader.js";
import { isTrue } from "./evaluate.js";

const COMPARES = /==|!=|&&|\|\||\s!?~|\w[<>]=?\s*\d|\w\s+[<>](=\s*|\s+)\d/;
const CALLS = /\b(any|all|count|has|len|contains|in ?)\(/;

// Else they are words. "ledger >5m" is two of them; "waiting >5m" compares a field.
export function isExpression(text) {
	const [, name] = /([\w.]+)\s+[<>]\d/.exec(text) ?? [];
	const isField = name !== undefined && (fieldNamed(name) || /^(var|label)[.]/.test(name));
	return COMPARES.test(text) || CALLS.test(text) || Boolean(isField);
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

async function rowsOf(x, model, source, goesOn) {
	const rows = [],
		findings = findingsById(model.head);
	let unasked = 0;
	for (let row = 0; row < model.count && goesOn(); row++) {
		const subject = { model, row, findings };
		let answer = isTrue(x, subject);
		if (answer === undefined) {
			const element = await source.goroutine(row);
			if (element) answer = isTrue(x, { ...subject, element });
			else unasked++;
		}
		if (answer) rows.push(row);
	}
	return { rows, unasked };
}

// { rows, unasked: how many goroutines it would take more than the page has of them }, or { error, column,
// unfinished }. goesOn(): somebody still wants to know.
export async function selectWhere(expression, model, source, goesOn = () => true) {
	try {
		return await rowsOf(parseExpression(expression), model, source, goesOn);
	} catch (error) {
		if (!(error instanceof WrongExpression)) throw error;
		const { message, column, unfinished } = error;
		return { error: message, column, unfinished };
	}
}
