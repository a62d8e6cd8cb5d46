// SPDX-License-Identifier: Apache-2.0
// pages.mjs - what pages take in Chromium. usage: node pages.mjs MODULES RUNS PATH... where a path is a file with a page,
// the address of one, or a document (.json), of which it is said how long a browser takes to parse all of it. Prints a line
// of JSON for each.

import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { Browser } from "../html/browser.mjs";

const SCROLLED = 180, // frames
	STEPS = 120, // of them, as a wheel does; then as who drags the bar
	FRAME_MS = 1000 / 60;
const EXPRESSIONS = ["waiting > 1ms", 'any(frames, function ~ "fifth2")', "var.m.state > 0"];

const middle = (all) => [...all].sort((a, b) => a - b)[all.length >> 1];

// With the verdict on the screen, and a goroutine unless none is suspect; since loading began.
async function ready(browser, path, hash) {
	const page = await browser.open(path, { hash });
	if (!(await page.innerText("#verdict"))) throw new Error("there is no verdict");
	const [ms, name] = await page.evaluate(() => [
		Number(document.documentElement.dataset.ready),
		document.querySelector("#detail h2")?.textContent,
	]);
	return { page, ms, hasGoroutine: /^goroutine \d/.test(name) };
}

// Until what was found is painted, or why nothing was; of an expression, since the page has seen that nobody types on.
function searched(page, words) {
	return page.evaluate(async (typed) => {
		const search = document.querySelector("#view input[type=search]"),
			status = document.querySelector("#view [role=status]"),
			ended = () => !status.textContent.includes("so far"),
			changed = new Promise((resolve) => {
				new MutationObserver(() => ended() && resolve()).observe(status, { childList: true, subtree: true });
			});
		const begin = performance.now();
		search.value = typed;
		search.dispatchEvent(new Event("input"));
		await changed;
		await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
		return {
			ms: performance.now() - begin,
			said: status.textContent,
			isWrong: search.getAttribute("aria-invalid") === "true",
		};
	}, words);
}

async function searches(page) {
	const found = [];
	for (const words of ["fifth2", ...EXPRESSIONS]) {
		const { ms, said, isWrong } = await searched(page, words);
		found.push({ words, ...(isWrong || !/^[\d,]+ of/.test(said) ? { why: said } : { ms, said }) });
	}
	return found;
}

async function scrolled(page) {
	const gaps = await page.evaluate(
		async ([frames, steps]) => {
			const list = document.querySelector("#view .list"),
				found = [];
			let last = await new Promise(requestAnimationFrame);
			for (let i = 0, top = 0; i < frames; i++) {
				list.scrollTop = top += i < steps ? 120 : 40000;
				const now = await new Promise(requestAnimationFrame);
				found.push(now - last);
				last = now;
			}
			return found.sort((a, b) => a - b);
		},
		[SCROLLED, STEPS],
	);
	return {
		median: gaps[SCROLLED >> 1],
		most: gaps[Math.floor(SCROLLED * 0.95)],
		inTime: gaps.filter((ms) => ms <= FRAME_MS + 1).length / SCROLLED,
	};
}

async function ofPage(browser, path, runs) {
	const times = [];
	let all = true;
	for (let i = 0; i < runs; i++) {
		const { page, ms, hasGoroutine } = await ready(browser, path, "");
		times.push(ms);
		all &&= hasGoroutine;
		await browser.close(page);
	}
	const { page } = await ready(browser, path, "#goroutines"),
		frames = await scrolled(page),
		found = await searches(page);
	await browser.close(page);
	return { ready: middle(times), hasGoroutine: all, frames, searches: found };
}

// The same bytes, by the parser that every browser has.
async function ofDocument(browser, path) {
	const server = createServer((request, response) => {
		response.setHeader("Content-Type", request.url === "/" ? "text/html" : "application/json");
		if (request.url === "/") response.end("<title>JSON</title>");
		else createReadStream(path).pipe(response);
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	const context = await browser.chromium.newContext(),
		page = await context.newPage();
	await page.goto(`http://127.0.0.1:${server.address().port}/`);
	const found = await page.evaluate(async () => {
		const begin = performance.now();
		try {
			JSON.parse(await (await fetch("document")).text());
			return { ms: performance.now() - begin };
		} catch (error) {
			return { why: error.message };
		}
	});
	await context.close();
	server.closeAllConnections();
	server.close();
	return found;
}

const [modules, runs, ...paths] = process.argv.slice(2);
const browser = await Browser.start(modules);
for (const path of paths) {
	const found = path.endsWith(".json") ? await ofDocument(browser, path) : await ofPage(browser, path, Number(runs));
	console.log(JSON.stringify(found));
}
await browser.stop();
