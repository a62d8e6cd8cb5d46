// SPDX-License-Identifier: Apache-2.0
// served.mjs - what a person does with the pages of gosnap serve. In place of a folder, addresses: one
// of a document, as JSON.

import { detail, has, same } from "./steps.mjs";

async function opensOnTheHolder(browser, { document: address }) {
	const page = await browser.open(address);
	has(await page.innerText("#verdict"), "39 goroutines wait for goroutine 217", "the verdict");
	has(await detail(page), "for which 39 wait", "the first goroutine");
	await browser.close(page);
}

// What a variable refers to is asked for as it is opened.
async function opensValues(browser, { document: address }) {
	const page = await browser.open(address, { hash: "#g217/f3/inv.log.entries" });
	has(await detail(page), "lamp", "what waits in the channel");
	await page.click("#detail summary:has-text('stock')");
	await page.waitForURL(/#g217\/f3\/inv\.stock$/);
	await browser.close(page);
}

async function searches(browser, { document: address }) {
	const page = await browser.open(address, { hash: "#goroutines" });
	await page.keyboard.press("/");
	await page.keyboard.type("inventory -mutex");
	same(await page.innerText("#view [role=status]"), "1 of 283", "without those that wait for a mutex");
	await page.keyboard.press("Enter");
	await page.keyboard.press("j");
	await page.waitForSelector("#detail h2:has-text('goroutine 217')");
	await browser.close(page);
}

// What only the server can select, and what it says of mistakes.
async function asksExpressions(browser, { document: address }) {
	const page = await browser.open(address, { hash: "#goroutines" });
	const says = async (text, words) => {
		await page.fill("#view input[type=search]", text);
		await page.waitForSelector(`#view [role=status]:has-text("${words}")`);
	};
	await says('any(frames, function ~ "inventory") && reason == "chan send"', "1 of 283");
	await page.keyboard.press("Enter");
	await page.keyboard.press("j");
	await page.waitForSelector("#detail h2:has-text('goroutine 217')");
	await says("nonsense == 1", "column 1: ");
	same(await page.getAttribute("#view input[type=search]", "aria-invalid"), "true", "it is marked as wrong");
	await says("inventory -mutex", "1 of 283");
	// Who types on waits for nothing that was typed before.
	let asked;
	const isAsked = new Promise((resolve) => (asked = resolve));
	await page.route(/where\?expr=own/, asked);
	await page.fill("#view input[type=search]", "own && locked");
	await isAsked;
	const given = page.waitForEvent("requestfailed", (request) => request.url().includes("expr=own"));
	await says("inventory -mutex", "1 of 283");
	await given;
	await browser.close(page);
}

// The process that reads the document is killed while the page waits for it; it says so, and goes on with another.
async function losesReader(browser, { killed: address, reader }) {
	const page = await browser.open(address);
	const asked = page.waitForRequest(/goroutine\/\d+$/);
	process.kill(reader, "SIGSTOP");
	await page.evaluate(() => (location.hash = "#g254"));
	await asked;
	// What is answered at once shows that the other has been passed on.
	for (let i = 0; i < 3; i++) await page.evaluate(() => fetch("nothing", { method: "DELETE" }).then((r) => r.text()));
	process.kill(reader, "SIGKILL");
	await page.waitForSelector("#detail .notice:has-text('The document is not read any more')");
	await page.evaluate(() => (location.hash = "#g217"));
	await page.waitForSelector("#detail h2:has-text('goroutine 217')");
	page.wrongs = page.wrongs.filter((words) => !/status of (405|503)/.test(words));
	await browser.close(page);
}

function harmless(kind) {
	return async (browser, addresses) => {
		const page = await browser.open(addresses[kind], { hash: "#g217/f3/inv.log" });
		await page.waitForSelector("#detail article.goroutine");
		same(await page.evaluate(() => globalThis.planted), undefined, "what was planted has run");
		await browser.close(page);
	};
}

// Another site cannot even tell that it is there: nothing may be read or embedded.
async function othersGetNothing(browser, { document: address }) {
	const context = await browser.context();
	const page = await context.newPage();
	await page.goto("data:text/html,<title>other</title>");
	same(
		await page.evaluate(
			(to) =>
				fetch(to + "start").then(
					() => "read",
					() => "refused",
				),
			address,
		),
		"refused",
		"fetch() of another page",
	);
	const ran = await page.evaluate(
		(to) =>
			new Promise((resolve) => {
				const script = document.createElement("script");
				Object.assign(script, {
					src: to + "start",
					onload: () => resolve(true),
					onerror: () => resolve(false),
				});
				document.body.append(script);
			}),
		address,
	);
	same(ran, false, "it loads as a script");
	await context.close();
}

// From the folder to the holder of the lock and back; what is no snapshot is named as such.
async function folders(browser, { folder: address }) {
	const page = await browser.open(address);
	const text = await page.innerText("main");
	for (const words of ["goroutine 1 panicked", "39 goroutines wait", "not a regular file", "not a snapshot"])
		has(text, words, "the timeline");
	same(await page.locator("main svg a").count(), 5, "points of the chart");
	same(await page.evaluate(() => globalThis.planted), undefined, "the name of a file has run");
	same(await browser.faults(page, "html", false), [], "axe-core");
	await page.click("main tbody tr:has-text('39 goroutines wait') a");
	await page.waitForSelector("#detail h2:has-text('goroutine 217')");
	await page.click("#detail summary >> nth=0");
	await page.click("header a:text('All snapshots')");
	await page.waitForSelector("main svg a");
	await page.click("main svg a >> nth=1"); // of two at the same time, the upper one
	await page.waitForSelector("html[data-ready] #detail h2");
	await page.goBack();
	await page.waitForSelector("main svg a");
	await page.click("#quit");
	await page.waitForSelector("text=gosnap serve has ended");
	await browser.close(page);
}

async function quits(browser, { ending: address }) {
	const page = await browser.open(address);
	await page.click("#quit");
	await page.waitForSelector("text=gosnap serve has ended");
	await browser.close(page);
}

// A case gets the addresses as they come from the command line.
const of = (run) => (browser, addresses) => run(browser, JSON.parse(addresses));

export const cases = [
	["opens on the goroutine that has the lock", of(opensOnTheHolder)],
	["values are asked for as they are opened", of(opensValues)],
	["searches as it is typed", of(searches)],
	["expressions are asked of the server", of(asksExpressions)],
	["says that the document is not read any more", of(losesReader)],
	["planted texts neither run nor mislead", of(harmless("planted"))],
	["pages of others get nothing", of(othersGetNothing)],
	["a folder as a timeline", of(folders)],
	["ends when asked", of(quits)],
];
