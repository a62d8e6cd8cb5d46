// SPDX-License-Identifier: Apache-2.0
// mutations.mjs - what the page makes of documents that anybody has written: members of a real one are replaced by
// something else, each in turn, and everything is drawn. The modules run in an empty page.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const PAGE = new URL("../../src/viewer/html/page/", import.meta.url);
const ROWS = 20,
	WAITS = 4,
	THREADS = 2;

// As join does; then what the test calls.
function joinedModules() {
	const names = readFileSync(new URL("modules.txt", PAGE), "utf8").split("\n").filter(Boolean);
	const script = names
		.map((name) => readFileSync(new URL(name, PAGE), "utf8"))
		.join("")
		.replace(/^import [^;]*;/gm, "")
		.replace(/^export /gm, "")
		.replace(/^main\(\);$/m, "");
	return `(() => { ${script}
		Object.assign(globalThis, { App, Model, ALL_VIEWS, List, verdictOf });
	})();`;
}

// What the page of a document has, of which this takes some.
function dataOf(path) {
	const found = {};
	for (const [, kind, data] of readFileSync(path, "utf8").matchAll(
		/<script type="application\/gosnap" data-kind="(\w+)" [^>]*>([^<]*)<\/script>/g,
	))
		found[kind] ??= JSON.parse(gunzipSync(Buffer.from(data, "base64")));
	const [head] = found.head;
	head.waits = head.waits.slice(0, WAITS);
	head.threads = head.threads.slice(0, THREADS);
	head.warnings = [{ where: "stacks", what: "something is missing" }];
	// Of those that are there, one with ancestors.
	const goroutine = found.goroutines.find((element) => element.ancestors);
	return {
		head,
		texts: [undefined, ...found.texts],
		columns: found.rows.map((column) => column.slice(0, ROWS)),
		goroutine,
	};
}

export async function emptyPage(browser) {
	const page = await (await browser.context()).newPage();
	await page.addStyleTag({ content: readFileSync(new URL("style.css", PAGE), "utf8") });
	await page.addScriptTag({ content: joinedModules() });
	return page;
}

// In the page: members of the head are replaced by all, what lies in them by two each; one member of so many shares.
// Returns what went wrong, and how much was tried.
async function mutateAll({ whole, nth, shares }) {
	const INSTEAD = [null, 7, "x", [], {}, [null], ["x"]];
	const text = JSON.stringify(whole);
	const wrongs = [];
	// Of equal members of what lies in arrays, the first.
	function pathsOf(value, path = [], kind = "", known = new Set()) {
		if (typeof value !== "object" || value === null) return [];
		return Object.keys(value).flatMap((key) => {
			const inner = `${kind}.${Array.isArray(value) ? "*" : key}`;
			const own = known.has(inner) ? [] : [[...path, key]];
			known.add(inner);
			return own.concat(pathsOf(value[key], [...path, key], inner, known));
		});
	}
	async function drawAll(data) {
		const model = new Model(data);
		const source = { goroutine: async () => data.goroutine, object: async () => null, globals: async () => [] };
		const app = { known: ALL_VIEWS, model, source, go() {} };
		const elements = ALL_VIEWS.map(([name]) => App.prototype.create.call(app, name).element);
		elements.push(await App.prototype.detailOf.call(app, { goroutine: model.nameOf(0), path: [] }));
		for (const group of model.groups.slice(0, 1))
			elements.push(await App.prototype.detailOf.call(app, { group: group.id }));
		for (const element of elements)
			for (const inside of element.querySelectorAll("details.thread, details.frame")) {
				inside.open = true;
				inside.fill?.();
			}
		const said = elements.map((element) => element.textContent);
		return [verdictOf(model), ...said];
	}
	let tried = 0,
		turn = 0;
	// Texts that rows and groups have.
	const { groups } = whole.head;
	const numbers = [...new Set([...groups[0].frames.slice(0, 2), ...whole.columns.slice(-6).map(([first]) => first)])];
	const texts = numbers.filter((number) => number > 0).map((number) => ["texts", number]);
	const inside = (path) => pathsOf(path.reduce((value, key) => value[key], whole), path);
	const paths = [...inside(["head"]), ...inside(["goroutine"]), ...texts, ...texts.flatMap(inside)];
	for (const path of paths.filter(([, member]) => member !== "page")) {
		const two = [INSTEAD[turn % INSTEAD.length], INSTEAD[(turn + 3) % INSTEAD.length]];
		if (turn++ % shares !== nth) continue;
		for (const instead of path.length === 2 ? INSTEAD : two) {
			const data = JSON.parse(text);
			path.slice(0, -1).reduce((value, key) => value[key], data)[path.at(-1)] = instead;
			tried++;
			const where = `${path.join(".")} = ${JSON.stringify(instead)}`;
			try {
				const said = await drawAll(data);
				for (const words of said)
					if (words === "" || words.includes("cannot be shown"))
						wrongs.push(`${where}: ${words.slice(-200) || "nothing"}`);
				if (path.join(".") === "head.findings" && !Array.isArray(instead) && /found to be/.test(said[0]))
					wrongs.push(`${where}: ${said[0]}`);
			} catch (error) {
				wrongs.push(`${where}: ${error.message}`);
			}
		}
	}
	return { tried, wrongs };
}

async function mutations(browser, folder) {
	const page = await emptyPage(browser);
	// Which share of the members: html.test says it.
	const [nth, shares] = (process.env.GOSNAP_SHARE ?? "0/1").split("/").map(Number);
	const { tried, wrongs } = await page.evaluate(mutateAll, { whole: dataOf(`${folder}/sick.html`), nth, shares });
	await page.context().close();
	if (wrongs.length > 0) throw new Error(`${wrongs.length} of ${tried}: ${wrongs.slice(0, 12).join("\n")}`);
	return `${tried} documents`;
}

// A view that fails is one sentence.
async function boundary(browser) {
	const page = await emptyPage(browser);
	const said = await page.evaluate(() => {
		const fails = () => {
			throw new Error("unheard of");
		};
		return App.prototype.create.call({ known: [["one", "One", fails]] }, "one").element.textContent;
	});
	await page.context().close();
	if (!/^One cannot be shown.*: unheard of$/.test(said)) throw new Error(said);
}

// The last of more lines than there are pixels for.
async function longest(browser) {
	const page = await emptyPage(browser);
	const said = await page.evaluate(async () => {
		const COUNT = 2_000_000;
		const list = new List({ label: "all", height: 22, line: (index) => `line ${index}`, choose() {} });
		Object.assign(list.element.style, { height: "440px", flex: "none" });
		document.body.append(list.element);
		list.setCount(COUNT);
		const { top } = list.element.getBoundingClientRect();
		const seen = (index) => {
			const at = list.lines.get(index)?.getBoundingClientRect().top - top;
			return at > -22 && at < 440 ? "seen" : `at ${at}`;
		};
		const said = [];
		list.element.scrollTop = 1e9;
		list.show();
		said.push(seen(COUNT - 1));
		for (const index of [0, 1_234_567, COUNT - 1]) {
			list.mark(index);
			said.push(seen(index));
		}
		return said.join(", ");
	});
	await page.context().close();
	if (said !== "seen, seen, seen, seen") throw new Error(said);
}

// Lines that are made again do not walk through all members again.
async function summaries(browser, folder) {
	const page = await emptyPage(browser);
	const [once, again] = await page.evaluate((data) => {
		const model = new Model(data);
		let asked = 0;
		const state = model.state;
		model.state = (row) => (asked++, state.call(model, row));
		const { list } = ALL_VIEWS.find(([name]) => name === "groups")[2](model, () => {});
		const once = asked;
		list.refresh();
		return [once, asked];
	}, dataOf(`${folder}/sick.html`));
	await page.context().close();
	if (!(once > 0) || again !== once) throw new Error(`asked for ${once} states, then for ${again - once} more`);
}

export const mutationCases = [
	["whatever a member is, all views are drawn", mutations],
	["a view that fails is a sentence", boundary],
	["the last of 2,000,000 lines can be reached", longest],
	["lines of groups are made again with what is known", summaries],
];
