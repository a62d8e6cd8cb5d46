// SPDX-License-Identifier: Apache-2.0
// where.mjs - what the page's own modules select of a page, without a browser. usage: node where.mjs PAGE, a folder
// with the modules; takes JSON: { head, texts, columns, goroutines: { row: element }, expressions }, and gives an
// answer for each expression, with ids in place of rows; or, if there are no expressions, the table of fields.

import { readFileSync } from "node:fs";

const [folder] = process.argv.slice(2);
const { Model } = await import(`${folder}/data/model.js`);
const { FIELDS } = await import(`${folder}/filter/fields.js`);
const { selectWhere } = await import(`${folder}/filter/select.js`);

async function answers({ head, texts, columns, goroutines, expressions }) {
	const model = new Model({ head, texts: [undefined, ...texts], columns }),
		source = { goroutine: async (row) => goroutines[row] ?? null };
	const all = [];
	for (const expression of expressions) {
		const { rows, ...answer } = await selectWhere(expression, model, source);
		all.push(rows ? { ids: rows.map((row) => columns[0][row]), ...answer } : answer);
	}
	return all;
}

const given = JSON.parse(readFileSync(0, "utf8"));
const found = given.expressions
	? await answers(given)
	: FIELDS.map(({ name, type, ofFrame }) => [name, type, Boolean(ofFrame)]);
process.stdout.write(JSON.stringify(found));
