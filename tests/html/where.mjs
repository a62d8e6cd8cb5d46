// SPDX-License-Identifier: Apache-2.0
// where.mjs - what the page's own modules select of a page, without a browser. usage: node where.mjs MODULES, a folder
// with the page's modules; takes JSON: { page, the path of one, expressions, turns }, and gives an answer for each
// expression, with ids in place of rows; with turns, after which nobody wants to know any more, also how many blocks
// were unpacked for it and how often it said how far it was. If there are no expressions, the table of fields.

import { readFileSync } from "node:fs";

const [folder] = process.argv.slice(2);
const { Model } = await import(`${folder}/data/model.js`);
const { EmbeddedSource } = await import(`${folder}/data/source.js`);
const { FIELDS } = await import(`${folder}/filter/fields.js`);
const { selectWhere } = await import(`${folder}/filter/select.js`);

const BLOCK = /<script type="application\/gosnap" data-kind="(\w+)" data-first="(\d+)" data-last="(\d+)">([^<]*)/g;

// As much of one as the source of a page asks.
function documentOf(path) {
	const elements = Array.from(
		readFileSync(path, "utf8").matchAll(BLOCK),
		([, kind, first, last, textContent]) => ({ textContent, dataset: { kind, first, last } }),
	);
	const all = (selector) => elements.filter(({ dataset }) => selector === `script[data-kind=${dataset.kind}]`);
	return { querySelectorAll: all, querySelector: (selector) => all(selector)[0] };
}

// Time flies: each step takes a turn.
function turnsOf(source, turns) {
	const seen = { unpacked: 0, told: 0 },
		{ elementsOf } = source.goroutines;
	let now = 0,
		left = turns;
	globalThis.performance.now = () => (now += 1000);
	source.goroutines.elementsOf = (block) => (seen.unpacked++, elementsOf.call(source.goroutines, block));
	return { seen, goesOn: () => left-- > 0, tell: ({ lookedAt }) => (seen.told += lookedAt > 0) };
}

async function answers({ page, expressions, turns }) {
	globalThis.document = documentOf(page);
	const source = new EmbeddedSource(),
		model = new Model(await source.start());
	const all = [];
	for (const expression of expressions) {
		if (turns) {
			const { seen, goesOn, tell } = turnsOf(source, turns);
			await selectWhere(expression, model, source, goesOn, tell);
			all.push(seen);
			continue;
		}
		const { rows, ...answer } = await selectWhere(expression, model, source);
		all.push(rows ? { ids: rows.map((row) => model.columns.id[row]), ...answer } : answer);
	}
	return all;
}

const given = JSON.parse(readFileSync(0, "utf8"));
const found = given.expressions
	? await answers(given)
	: FIELDS.map(({ name, type, ofFrame }) => [name, type, Boolean(ofFrame)]);
process.stdout.write(JSON.stringify(found));
