// SPDX-License-Identifier: Apache-2.0
// steps.mjs - what many cases do with a page, and how they say what is wrong with it.

export const VIEWS = "findings groups goroutines waits flame ages scheduler threads memory process".split(" ");

export function same(found, wanted, what) {
	if (JSON.stringify(found) !== JSON.stringify(wanted))
		throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

export function has(text, words, where) {
	if (!text.includes(words)) throw new Error(`${where} lacks ${JSON.stringify(words)}: ${text.slice(0, 600)}`);
}

export const detail = (page) => page.innerText("#detail");

// Shown by the address; the page notices itself.
export async function show(page, hash, selector) {
	await page.evaluate((to) => {
		location.hash = to;
	}, hash);
	await page.waitForSelector(selector);
}

// By a click; what it shows has keys of its own.
export async function showTab(page, view) {
	await page.click(`nav a[href="#${view}"]`);
	await page.waitForSelector(`nav a[aria-current][href="#${view}"]`);
}

export async function showGoroutine(page, hash) {
	const id = /^#g(\d+)/.exec(hash)[1];
	await page.evaluate((to) => {
		location.hash = to;
	}, hash);
	await page.waitForSelector(`#detail h2:has-text("goroutine ${id}")`);
}
