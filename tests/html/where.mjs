// SPDX-License-Identifier: Apache-2.0
// where.mjs - what the page's own modules select of a page, without a browser. usage: node where.mjs MODULES, a folder
// with the page's modules; takes JSON: { page, the path of one, expressions, blocks }, and gives an answer for each
// expression, with ids in place of rows; or, if nobody wants to know any more after so many blocks, how many were
// unpacked, and how often it said how far it was before and after that. If there are no expressions, the table of
// fields.

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
async function interrupted(expression, model, source, blocks) {
	const seen = { unpacked: 0, told: 0, late: 0 },
		{ elementsOf } = source.goroutines,
		goesOn = () => seen.unpacked < blocks;
	let now = 0;
	// By assignment it would be read-only, in Debian 12's node.
	Object.defineProperty(globalThis.performance, "now", { value: () => (now += 1000), configurable: true });
	source.goroutines.elementsOf = (block) => (seen.unpacked++, elementsOf.call(source.goroutines, block));
	await selectWhere(expression, model, source, goesOn, ({ lookedAt }) => {
		if (!goesOn()) seen.late++;
		else if (lookedAt > 0) seen.told++;
	});
	return seen;
}

async function answers({ page, expressions, blocks }) {
	globalThis.document = documentOf(page);
	const source = new EmbeddedSource(),
		model = new Model(await source.start());
	const all = [];
	for (const expression of expressions) {
		if (blocks !== undefined) {
			all.push(await interrupted(expression, model, source, blocks));
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
