// SPDX-License-Identifier: Apache-2.0
// cases.mjs - what a person does with a page, and what a hostile snapshot does not.

import { mediaCases } from "./media.mjs";
import { mutationCases } from "./mutations.mjs";
import { VIEWS, detail, has, same, show, showGoroutine, showTab } from "./steps.mjs";

async function opensOnTheHolder(browser, folder) {
	const page = await browser.open(`${folder}/sick.html`);
	has(await page.innerText("#verdict"), "39 goroutines wait for goroutine 217", "the verdict");
	has(await detail(page), "goroutine 217", "the first goroutine");
	has(await detail(page), "for which 39 wait", "the first goroutine");
	await browser.close(page);
}

// From any of those that wait: one click to the list, one on the holder.
async function holderInTwoClicks(browser, folder) {
	const page = await browser.open(`${folder}/sick.html`, { hash: "#g254" });
	has(await detail(page), "goroutine 254", "the goroutine of the address");
	await page.click("#detail a:text('goroutine 217')");
	await page.waitForSelector("#detail h2:has-text('goroutine 217')");
	has(await detail(page), "main.(*inventory).reserve", "its stack");
	await page.goBack();
	await page.waitForSelector("#detail h2:has-text('goroutine 254')");
	await page.goForward();
	await page.waitForSelector("#detail h2:has-text('goroutine 217')");
	await showTab(page, "findings");
	await page.click("#view a:text-is('217') >> nth=0");
	await page.waitForSelector("#detail h2:has-text('goroutine 217')");
	await browser.close(page);
}

// tests/lib/page_where.py has more expressions; here is how the page says what comes of them.
async function asksExpressions(browser, folder) {
	const page = await browser.open(`${folder}/sick.html`, { hash: "#goroutines" });
	const says = async (text, words) => {
		await page.fill("#view input[type=search]", text);
		await page.waitForSelector(`#view [role=status]:has-text("${words}")`);
	};
	const isWrong = () => page.getAttribute("#view input[type=search]", "aria-invalid");
	await says('any(frames, function ~ "inventory") && reason == "chan send"', "1 of 283");
	await page.keyboard.press("Enter");
	await page.keyboard.press("j");
	await page.waitForSelector("#detail h2:has-text('goroutine 217')");
	await says('contains(waits, "mutex") && waits.waiters == 39', "39 of 283");
	await says("wating == 5m && locked", "column 1: unknown field wating: did you mean waiting?");
	same(await isWrong(), "true", "it is marked as wrong");
	await says("waiting > 5m &&", "column 16: expected a condition, as in waiting > 5m at the end");
	same(await isWrong(), "false", "what is not yet finished is not marked as wrong");
	await says('reason == "chan send" && var.inv.stock["lamp"] >= 0', "1 of 283");
	await page.keyboard.press("Enter");
	await page.keyboard.press("j");
	await page.waitForSelector("#detail h2:has-text('goroutine 217')");
	await says('len(var.inv.log.entries) > 0 && var.nobody == null', "41 of 283");
	await says('var.inv.stock["lamp"] >= 0', "41 of 283");
	await says("inventory -mutex", "1 of 283");
	await browser.close(page);
}

async function faultFirst(browser, folder) {
	const page = await browser.open(`${folder}/fault.html`);
	const fault = JSON.parse(await page.evaluate(() => document.documentElement.dataset.ready));
	same(fault >= 0, true, "ready");
	has(await page.innerText("#verdict"), "goroutine", "the verdict");
	has(await page.innerText("#view"), "What ended it", "the first view");
	await browser.close(page);
}

async function searches(browser, folder) {
	const page = await browser.open(`${folder}/sick.html`, { hash: "#goroutines" });
	const shown = async (words) => {
		await page.keyboard.press("/");
		await page.keyboard.press("Control+A");
		await page.keyboard.type(words);
		return page.innerText("#view [role=status]");
	};
	same(await shown("inventory"), "40 of 283", "with inventory");
	same(await shown("inventory -mutex"), "1 of 283", "without those that wait for a mutex");
	same(await shown("chan send supplier"), "77 of 283", "of supplier");
	same(await shown("nothing-has-this"), "0 of 283", "with what nobody has");
	await shown("inventory -mutex");
	await page.keyboard.press("Enter");
	await page.keyboard.press("j");
	await page.waitForSelector("#detail h2:has-text('goroutine 217')");
	await browser.close(page);
}

async function keys(browser, folder) {
	const page = await browser.open(`${folder}/sick.html`);
	await page.keyboard.press("2");
	await page.waitForSelector("#view .groups [role=option]");
	await page.keyboard.press("j");
	await page.waitForSelector("#detail article.group");
	// As fast as keys can come.
	await page.evaluate(() => {
		for (const key of ["3", "j"]) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
	});
	await page.waitForSelector("#detail article.goroutine");
	await page.keyboard.press("s");
	await page.keyboard.press("j");
	same(
		await page.evaluate(() => Boolean(document.activeElement.closest("#detail summary"))),
		true,
		"focus in the stack",
	);
	await page.keyboard.press("?");
	await page.waitForSelector("dialog[open]");
	await page.keyboard.press("Escape");
	same(await page.evaluate(() => Boolean(document.querySelector("dialog[open]"))), false, "a dialog remains");
	await browser.close(page);
}

async function deepLinks(browser, folder) {
	const page = await browser.open(`${folder}/sick.html`, { hash: "#g217/f3/inv.log.entries" });
	const open = await page.$$eval("#detail details[open][data-name]", (all) =>
		all.map((element) => element.dataset.name),
	);
	same(open, ["inv", "log", "entries"], "open branches");
	has(await detail(page), "lamp", "what waits in the channel");
	await page.click("#detail summary:has-text('stock')");
	same(await page.evaluate(() => location.hash), "#g217/f3/inv.stock", "the address of what was opened");
	for (const hash of [
		"#g217/f99/x",
		"#g999999",
		"#group99999",
		"#g217/f3/%E0%A4%A",
		"#nonsense",
		"#g217/f3/inv.nobody",
	])
		await page.evaluate((to) => {
			location.hash = to;
		}, hash);
	await showGoroutine(page, "#g254");
	await browser.close(page);
}

// A pointer that leads back to where it came from ends there.
async function cycles(browser, folder) {
	const page = await browser.open(`${folder}/cycle.html`, { hash: "#g1/f0/list.next.next" });
	has(await detail(page), "the same object as above", "the list");
	await browser.close(page);
}

async function waits(browser, folder) {
	const page = await browser.open(`${folder}/sick.html`, { hash: "#waits" });
	const words = await page.$$eval("svg.graph text", (all) => all.map((text) => text.textContent));
	for (const wanted of ["39 goroutines", "mutex 0xc00005a140", "has it", "goroutine 217", "channel 0xc0000682a0"])
		same(words.includes(wanted), true, `the graph has ${wanted}`);
	await page.click("svg.graph a:has-text('goroutine 217')");
	await page.waitForSelector("#detail h2:has-text('goroutine 217')");
	await browser.close(page);
	const ring = await browser.open(`${folder}/cycle.html`, { hash: "#waits" });
	same(await ring.$$eval("svg.graph .node", (all) => all.length), 4, "nodes of a ring of two");
	same(await ring.$$eval("svg.graph .edge", (all) => all.length), 4, "edges of a ring of two");
	await browser.close(ring);
}

async function flame(browser, folder) {
	const page = await browser.open(`${folder}/sick.html`, { hash: "#flame" });
	const wide = async (name) => (await (await page.$(`.call:has-text("${name}")`)).boundingBox()).width;
	const all = await wide("all goroutines");
	const ratio = (await wide("main.supplier")) / all;
	same(Math.abs(ratio - 77 / 283) < 0.01, true, `main.supplier is ${ratio} of all, which should be 77 / 283`);
	await page.click(".call:has-text('main.supplier')");
	same(Math.abs((await wide("main.supplier")) - all) < 2, true, "zoomed to main.supplier");
	await page.click(".about a:text('all with this function')");
	await page.waitForSelector("#view [role=status]:text-is('77 of 283')");
	await browser.close(page);
}

async function ages(browser, folder) {
	const page = await browser.open(`${folder}/cycle.html`, { hash: "#ages" });
	has(await page.innerText("#view"), "10 min to 1.0 h", "the histogram");
	await page.click("#view tr:has-text('10 min to 1.0 h') a");
	// Twelve that send, and one that waits for a lock.
	await page.waitForSelector("#view [role=status]:has-text('13 of')");
	await browser.close(page);
}

async function runtime(browser, folder) {
	const page = await browser.open(`${folder}/sick.html`, { hash: "#scheduler" });
	same(await page.$$eval(".processor h3", (all) => all.map((h) => h.innerText)), ["P0 idle", "P1 idle"], "Ps");
	await show(page, "#threads", ".thread");
	await page.click(".thread summary >> nth=0");
	await page.waitForSelector(".thread[open] pre:has-text('rip')");
	has(await page.innerText(".thread[open]"), "runtime.epollwait", "the stack of a thread");
	await show(page, "#memory", "#view table:has-text('heap, with objects')");
	await browser.close(page);
}

// What has to look into all goroutines says how far it is; another search ends it.
async function interrupted(page) {
	const search = "#view input[type=search]",
		said = "#view [role=status]",
		slow = 'entry == "main.nobody" || var.nobody == 1';
	const ask = async (text, pattern) => {
		await page.fill(search, text);
		const found = page.locator(said, { hasText: pattern });
		await found.waitFor();
		return found.innerText();
	};
	const first = await ask(slow, /^(0 of|.* so far; looked at .* of) 100,000$/);
	await ask("ledger >5m", /^33,331 of 100,000$/);
	const last = await ask(slow, /^0 of 100,000$/);
	await ask("ledger >5m", /^33,331 of 100,000$/);
	return { slow: first, then: last };
}

// How long it takes depends on what else the machine does: it is said. How much is made does not.
async function large(browser, folder) {
	const page = await browser.open(`${folder}/many.html`, { hash: "#goroutines" });
	const ready = await page.evaluate(() => document.documentElement.dataset.ready);
	const lines = () => page.$$eval("#view [role=option]", (all) => all.length);
	same(await page.innerText("#view [role=status]"), "100,000 goroutines", "the list");
	same((await lines()) < 100, true, "lines made at first");
	const frames = await page.evaluate(async () => {
		const list = document.querySelector("#view .list"),
			gaps = [];
		for (let i = 1; i <= 60; i++) {
			const begin = performance.now();
			list.scrollTop = i * 300;
			await new Promise(requestAnimationFrame);
			gaps.push(performance.now() - begin);
		}
		return gaps.sort((a, b) => a - b);
	});
	same((await lines()) < 100, true, "lines made by scrolling");
	await page.focus("#view .list");
	await page.keyboard.press("End");
	await page.waitForSelector("#detail h2:has-text('goroutine 100000')");
	same((await lines()) < 100, true, "lines made at the end");
	same(await page.innerText("#view [aria-selected=true] .id"), "100000", "the line at the end");
	const searched = await page.evaluate(() => {
		const search = document.querySelector(".search"),
			begin = performance.now();
		search.value = "ledger >5m";
		search.dispatchEvent(new Event("input"));
		return Math.round(performance.now() - begin);
	});
	same(await page.innerText("#view [role=status]"), "33,331 of 100,000", "with ledger, and older than 5 minutes");
	const { slow, then } = await interrupted(page);
	await browser.close(page);
	return `${slow}; ${then}; ready after ${ready} ms, searched in ${searched} ms; scrolled with ${frames[30].toFixed(1)} ms for most frames, ${frames[57].toFixed(1)} ms for the slowest twentieth`;
}

async function leavesOut(browser, folder) {
	const page = await browser.open(`${folder}/small.html`);
	has(await page.innerText("#view"), "all values: the page has them of those goroutines that findings name", "the first view");
	has(await detail(page), "lamp", "the holder has its values");
	await showTab(page, "goroutines");
	await page.click("#view [role=option]:has-text('lean') >> nth=0");
	await page.waitForSelector("#detail .notice:has-text('no values of this goroutine')");
	await page.fill("#view input[type=search]", 'var.inv.stock["lamp"] >= 0');
	const said = page.locator("#view [role=status]", { hasText: / of 283; of \d+ the page has not what would/ });
	await said.waitFor();
	const [found, , undecided] = (await said.innerText()).match(/\d+/g).map(Number);
	same(found > 0 && found < 41 && found + undecided >= 41, true, `${found} found and ${undecided} not decided, of 41`);
	await browser.close(page);
}

async function aboutProcess(browser, folder) {
	const page = await browser.open(`${folder}/sick.html`, { hash: "#process" });
	const said = await page.innerText("#view");
	for (const words of ["executable", "22925", "go1.19.8", "-trimpath", "Max open files", "stopped for", "manual"])
		has(said, words, "the view of the process");
	same(await page.$$eval("#view table", (all) => all.some((table) => table.rows.length > 21)), true, "a long list");
	await page.click("#view .more >> nth=0");
	await page.keyboard.press("1");
	await page.keyboard.press("0");
	await page.waitForSelector('nav a[aria-current][href="#process"]');
	await browser.close(page);
}

async function ancestors(browser, folder) {
	const page = await browser.open(`${folder}/sick.html`, { hash: "#g217" });
	await page.click("#detail summary:has-text('goroutine 1 main.startAll')");
	await page.waitForSelector("#detail .thread[open] .frame:has-text('main.main')");
	has(await detail(page), "goroutine 99", "one that is no more");
	has(await detail(page), "3 more ancestors omitted", "those that are not there");
	await page.click("#detail .thread[open] a:text('goroutine 1')");
	await page.waitForSelector("#detail h2:has-text('goroutine 1')");
	await browser.close(page);
}

async function rawStack(browser, folder) {
	const page = await browser.open(`${folder}/cycle.html`, { hash: "#g1" });
	await page.click("summary:text('Raw stack: 4 words')");
	const rows = await page.$$eval("#detail tr", (all) =>
		all.map((row) => row.innerText.split("\t").map((cell) => cell.trim())),
	);
	same(
		rows.slice(0, 3),
		[
			["0xc000101e00", "0x1", "main.busy begins"],
			["0xc000101e08", "0x7a3000", "return address of main.busy; → main.main"],
			["0xc000101e10", "not readable", ""],
		],
		"the first words",
	);
	await browser.close(page);
}

async function openAll(page, rounds = 3) {
	for (let round = 0; round < rounds; round++)
		await page.evaluate(async () => {
			for (const branch of [...document.querySelectorAll("#detail details:not([open])")].slice(0, 40)) {
				branch.open = true;
				await branch.fill?.();
			}
		});
}

// What a planted text could have done, and what it could look like.
const inspect = () => {
	const wrongs = [];
	// Independent of text.js: what turns or hides text, and what steers terminals.
	const steers = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;
	if (globalThis.planted) wrongs.push("a planted script ran");
	for (const element of document.querySelectorAll("body *")) {
		const tag = element.localName;
		if (["img", "iframe", "object", "embed", "base", "link", "meta", "video", "audio"].includes(tag))
			wrongs.push(`a planted <${tag}>`);
		if (tag === "script" && element.type !== "application/gosnap" && element.type !== "module")
			wrongs.push("a planted <script>");
		for (const { name, value } of element.attributes) {
			if (name.startsWith("on") || (name === "style" && element.closest("[data-planted]")) || name === "src")
				wrongs.push(`<${tag} ${name}>`);
			if (name === "href" && !/^#[A-Za-z0-9%@/._~!*'()-]*$/.test(value))
				wrongs.push(`a link to ${value.slice(0, 80)}`);
			if (steers.test(value))
				wrongs.push(`<${tag} ${name}> has a character that steers: ${JSON.stringify(value.slice(0, 80))}`);
		}
	}
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walker.nextNode())
		if (walker.currentNode.parentElement.localName !== "script" && steers.test(walker.currentNode.data))
			wrongs.push(
				`a text has a character that steers: ${JSON.stringify(walker.currentNode.data.slice(0, 80))}`,
			);
	if (steers.test(document.title)) wrongs.push("the title has a character that steers");
	return wrongs;
};

// Where texts are planted: html.test says it.
const PLANTED = (process.env.GOSNAP_PLANTED ?? "before behind").split(" ");

function hostile(name) {
	return async (browser, folder) => {
		const page = await browser.open(`${folder}/${name}.html`);
		const wrongs = [];
		const check = async (where) =>
			wrongs.push(...(await page.evaluate(inspect)).map((wrong) => `${where}: ${wrong}`));
		for (const view of VIEWS) {
			await show(page, "#" + view, `nav a[aria-current][href="#${view}"]`);
			await check(view);
		}
		has(await page.innerText("#view dl"), "\\u{202e}", "the view of the process");
		let descending = 0;
		await showTab(page, "goroutines");
		for (let i = 0; i < 4; i++) {
			await page.keyboard.press("j");
			await page.waitForSelector("#detail article");
			await openAll(page);
			await check(`goroutine ${i}`);
			descending += (await detail(page)).includes("Descends from");
		}
		same(descending > 0, true, "one has ancestors");
		await showTab(page, "groups");
		await page.keyboard.press("j");
		await check("group");
		has(await page.innerText("body"), "\\u{202e}", "the page");
		same([...new Set(wrongs)].slice(0, 10), [], "wrongs");
		await browser.close(page);
	};
}

// What is around the views is the same in all.
function accessible(dark) {
	return async (browser, folder) => {
		const page = await browser.open(`${folder}/sick.html`, { dark });
		const faults = [];
		const check = async (where, part) =>
			faults.push(...(await browser.faults(page, part, dark)).map((fault) => `${where}: ${fault}`));
		await check("all", "html");
		for (const view of VIEWS) {
			await show(page, "#" + view, `nav a[aria-current][href="#${view}"]`);
			await check(view, "#view");
		}
		await showGoroutine(page, "#g217/f3/inv.log");
		await openAll(page, 1);
		await check("goroutine", "#detail");
		await showTab(page, "groups");
		await page.keyboard.press("j");
		await page.waitForSelector("#detail article.group");
		await check("group", "#detail");
		await page.keyboard.press("?");
		await check("help", "dialog");
		same(faults, [], "axe-core");
		await browser.close(page);
	};
}

async function longLists(browser, folder) {
	const page = await browser.open(`${folder}/long.html`);
	const amount = (selector) => page.$$eval(selector, (all) => all.length);
	const amounts = async () => [await amount("#view .card"), await amount("#view .warnings li")];
	same(await amounts(), [200, 201], "findings and warnings at first");
	await page.click("#view .card + .more");
	await page.click("#view .warnings .more");
	same(await amounts(), [400, 401], "findings and warnings after they were asked for");
	await show(page, "#waits", "svg.graph");
	same((await amount("svg.graph .node")) < 100, true, "nodes of the graph are few");
	has(await page.textContent("svg.graph"), "and 19,960 more", "the graph");
	has(await page.innerText("#view table"), "19,960 more", "the table");
	await browser.close(page);
}

async function deepLinksApart(browser, folder) {
	const page = await browser.open(`${folder}/long.html`, { hash: "#g1/f0/all.[250]" });
	has(await page.innerText("#detail details[open][data-name='[250]']"), "250", "the element of the address");
	await page.click("#detail summary:has-text('[]main.pair') >> nth=1");
	await page.waitForURL(/#g1\/f0\/all~2$/);
	const again = await browser.open(`${folder}/long.html`, { hash: "#g1/f0/all~2.[0]" });
	same(
		await again.$$eval("#detail details[open][data-name]", (all) => all.map((element) => element.dataset.name)),
		["all~2", "[0]"],
		"open branches of the second of one name",
	);
	await browser.close(again);
	await browser.close(page);
}

async function misshapen(browser, folder) {
	const page = await browser.open(`${folder}/misshapen.html`);
	has(await page.innerText("#verdict"), "Cannot tell whether anything is wrong", "the verdict");
	has(await page.innerText("#view"), "findings", "what is left out");
	for (const view of VIEWS) {
		await show(page, "#" + view, `nav a[aria-current][href="#${view}"]`);
		const said = await page.innerText("#view");
		same(said.length > 0, true, `${view} says something`);
		same(/NaN|undefined/.test(said), false, `${view} says nonsense: ${said.slice(0, 600)}`);
	}
	await showTab(page, "goroutines");
	await page.fill(".search", 'any(frames, function ~ "reserve")');
	await page.waitForSelector("#view [role=status]:has-text('40 of 283')");
	await browser.close(page);
}

// A page of goroutines, groups and lists that did not all fit: no count of what is there passes for all.
async function part(browser, folder) {
	const page = await browser.open(`${folder}/part.html`);
	const [, here, groups] = /this page has ([\d,]+) of 25,000 goroutines, ([\d,]+) of 20,000 groups/.exec(
		await page.innerText("#left-out"),
	);
	has(await page.innerText("#heading"), "25,000 goroutines", "the heading");
	same(await page.innerText("#view table.numbers td"), "25,000", "goroutines that receive");
	for (const [hash, words] of [
		["#groups", "25,000 goroutines in 20,000 groups"],
		["#groups", "5,001"],
		["#goroutines", `${here} of the ${here} in this page`],
		["#ages", `${here} of the ${here} in this page`],
		["#flame", "goroutines of these groups"],
		["#flame", `in ${groups} groups`],
	]) {
		await show(page, hash, `nav a[href="${hash}"][aria-current]`);
		has(await page.innerText("#view"), words, hash);
	}
	await show(page, "#goroutines", ".search");
	await page.fill(".search", "chan");
	await page.waitForSelector(`[role=status]:text("of the ${here} in this page")`);
	await show(page, "#group0", "#detail h2:has-text('5,001 goroutines')");
	has(await detail(page), "of them", "the goroutines of a group");
	await show(page, "#g19999", "#detail p:has-text('This page does not have goroutine 19999')");
	await browser.close(page);
}

// What each list ends with.
async function partOfLists(browser, folder) {
	const page = await browser.open(`${folder}/lists.html`);
	for (const [view, words] of [
		["findings", "of 5,001 findings have no room"],
		["findings", "of 5,000 warnings have no room"],
		["waits", "of 20,001 waits have no room"],
		["threads", "of 5,000 threads have no room"],
		["threads", "5,000 threads"],
	]) {
		await show(page, "#" + view, `nav a[href="#${view}"][aria-current]`);
		for (const more of await page.$$("#view button.more")) await more.click();
		has(await page.innerText("#view"), words, view);
	}
	await browser.close(page);
}

async function notLookedFor(browser, folder) {
	for (const [name, words] of [
		["unanalysed", "Cannot tell whether anything is wrong: the snapshot has no findings"],
		["cut", "Cannot tell whether anything is wrong: the snapshot is damaged"],
	]) {
		const page = await browser.open(`${folder}/${name}.html`);
		has(await page.innerText("#verdict"), words, `the verdict of ${name}`);
		has(await page.innerText("#view"), words, `the findings of ${name}`);
		await browser.close(page);
	}
}

export const cases = [
	["opens on the goroutine that has the lock", opensOnTheHolder],
	["from one that waits to the holder in two clicks, back and forward", holderInTwoClicks],
	["what ended the process comes first", faultFirst],
	["searches as it is typed", searches],
	["takes expressions", asksExpressions],
	["keys", keys],
	["addresses lead into variables", deepLinks],
	["cycles of objects end", cycles],
	...PLANTED.map((where) => [`planted texts ${where} each string neither run nor mislead`, hostile(where)]),
	["axe-core finds nothing, light", accessible(false)],
	["axe-core finds nothing, dark", accessible(true)],
	["who waits for whom is a graph", waits],
	["calls are as wide as goroutines are in them", flame],
	["ages lead to those that have them", ages],
	["scheduler, threads and memory", runtime],
	["a raw stack, word by word", rawStack],
	["the process, its program, and how it was captured", aboutProcess],
	["from which goroutines one descends", ancestors],
	["100,000 goroutines", large],
	["says what it leaves out", leavesOut],
	["a part of the goroutines does not pass for all", part],
	["lists end with how many are not there", partOfLists],
	...mediaCases,
	["of long lists, the first ones, and more when asked", longLists],
	["addresses lead to late elements, and tell equal names apart", deepLinksApart],
	["a document with members of the wrong kind", misshapen],
	["what was not looked for is not said to be well", notLookedFor],
	...mutationCases,
];
