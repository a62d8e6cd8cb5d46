// SPDX-License-Identifier: Apache-2.0
// drive.mjs - runs cases in a browser. usage: node drive.mjs MODULES CASES FOLDER; FOLDER has the pages that CASES
// want, or says where they are. Prints a line of JSON for each case: what it is called, why it failed, or what it
// has to say. GOSNAP_CASE in the environment chooses cases, as tests/lib/choice.py says.

import { Browser } from "./browser.mjs";

const chosen = process.env.GOSNAP_CASE ?? "";
const printed = (name) => name.replaceAll("#", "no. ");
const wanted = (name) => chosen.startsWith("=") ? printed(name) === chosen.slice(1) : printed(name).includes(chosen);
const [modules, list, folder] = process.argv.slice(2);
const { cases } = await import(list);
const few = cases.filter(([name]) => wanted(name));
if (!few.length)
	process.exit(0);
const browser = await Browser.start(modules);
for (const [name, run] of few) {
	const begun = performance.now();
	const result = { name };
	try {
		result.said = await run(browser, folder);
	} catch (error) {
		result.why = `${error.message}\n${error.stack}`;
	}
	result.ms = Math.round(performance.now() - begun);
	console.log(JSON.stringify(result));
}
await browser.stop();
