// SPDX-License-Identifier: Apache-2.0
// main.js - the frame of the page: verdict, views, and the goroutine or group beside them, all by the address.

import { harmless, textOf } from "./text.js";
import { counted } from "./units.js";
import { add, make, replace } from "./dom.js";
import { sorry } from "./boundary.js";
import { EmbeddedSource } from "./data/source.js";
import { ServerSource } from "./data/server_source.js";
import { Model } from "./data/model.js";
import { allGoroutines, partsLeftOut } from "./data/left_out.js";
import { verdictOf } from "./data/verdict.js";
import { timeWords } from "./facts.js";
import { parseHash } from "./route.js";
import { goroutineElement } from "./goroutine/goroutine.js";
import { groupElement } from "./goroutine/group.js";
import { findingsView } from "./views/findings.js";
import { groupsView } from "./views/groups.js";
import { goroutinesView } from "./views/goroutines.js";
import { waitsView } from "./views/waits.js";
import { flameView } from "./views/flame.js";
import { agesView } from "./views/ages.js";
import { schedulerView } from "./views/scheduler.js";
import { threadsView } from "./views/threads.js";
import { memoryView } from "./views/memory.js";
import { processView } from "./views/process.js";
import { globalsView } from "./views/globals.js";
import { helpDialog } from "./help.js";
import { timelineElement } from "./views/timeline.js";
import { listenToKeys } from "./keys.js";

const ALL_VIEWS = [
	["findings", "Findings", findingsView],
	["groups", "Groups", groupsView],
	["goroutines", "Goroutines", goroutinesView],
	["waits", "Waits", waitsView],
	["flame", "Flame", flameView],
	["ages", "Ages", agesView],
	["scheduler", "Scheduler", schedulerView],
	["threads", "Threads", threadsView],
	["memory", "Memory", memoryView],
	["process", "Process", processView],
	["globals", "Globals", globalsView],
];
const BESIDE = ["findings", "groups", "goroutines"]; // views with room for a goroutine

function titleOf(head) {
	const { process, go, snapshot, page } = head;
	return textOf(go?.module) || textOf(process?.exe).split("/").pop() || textOf(snapshot?.id) || textOf(page.name);
}

function headingElement(model) {
	const { process, go, snapshot, page } = model.head;
	return [
		make("strong", {}, titleOf(model.head)),
		make(
			"span",
			{ class: "quiet" },
			[
				textOf(go?.version),
				process?.pid !== undefined && `pid ${process.pid}`,
				textOf(snapshot?.host),
				allGoroutines(model),
				timeWords(textOf(snapshot?.taken_at)),
				textOf(page.name),
			]
				.filter(Boolean)
				.join(" · "),
		),
		page.of_folder && make("a", { href: "../" }, "All snapshots"),
	];
}

// What else stands beside a view is below it then.
function isNarrow() {
	return matchMedia("(max-width: 700px)").matches;
}

class App {
	constructor(model, source) {
		Object.assign(this, {
			model,
			source,
			views: new Map(),
			current: null,
			detail: document.getElementById("detail"),
		});
		const hasGlobals = model.head.snapshot?.options?.globals !== undefined;
		this.known = ALL_VIEWS.filter(([name]) => name !== "globals" || hasGlobals);
		this.help = helpDialog();
		this.tabs = this.known.map(([name, title]) => make("a", { href: "#" + name }, title));
		add(document.getElementById("heading"), headingElement(model));
		add(document.getElementById("verdict"), verdictOf(model));
		const leftOut = partsLeftOut(model);
		if (leftOut) document.getElementById("verdict").after(make("p", { id: "left-out", class: "notice" }, leftOut));
		add(document.getElementById("views"), this.tabs);
		add(document.body, this.help);
		document.title = harmless(titleOf(model.head)) + " - gosnap";
	}

	// Followed at once: the next key may be here before the browser says that the address has changed.
	go(hash) {
		if (location.hash === hash) return;
		location.hash = hash;
		this.followed = hash;
		this.follow(hash);
	}

	// Of several changes, the last one counts.
	onHashChange({ newURL }) {
		const { hash } = new URL(newURL);
		if (hash === this.followed) this.followed = null;
		else if (hash === location.hash) this.follow(hash);
	}

	create(name) {
		const [, title, create] = this.known.find(([known]) => known === name);
		try {
			return create(this.model, (hash) => this.go(hash), this.source);
		} catch (error) {
			return { element: sorry(title, error) };
		}
	}

	// Views are made when they are first shown.
	viewOf(name) {
		if (!this.views.has(name)) this.views.set(name, this.create(name));
		return this.views.get(name);
	}

	showView(name) {
		this.current = this.viewOf(name);
		this.name = name;
		const panel = document.getElementById("view");
		if (panel.firstChild !== this.current.element) panel.replaceChildren(this.current.element);
		document.body.classList.toggle("wide", !BESIDE.includes(name));
		this.tabs.forEach((tab, i) => {
			if (this.known[i][0] === name) tab.setAttribute("aria-current", "page");
			else tab.removeAttribute("aria-current");
		});
	}

	async detailOf(route) {
		try {
			return route.group !== undefined
				? groupElement(this.model, route.group)
				: await goroutineElement(this.model, this.source, route.goroutine, route);
		} catch (error) {
			return sorry(route.group !== undefined ? "This group" : "This goroutine", error);
		}
	}

	async showDetail(route) {
		const wanted = (this.wanted = {});
		const element = await this.detailOf(route);
		if (this.wanted !== wanted)
			// somebody has gone on meanwhile
			return;
		this.detail.replaceChildren(element);
		this.detail.scrollTop = 0;
		if (isNarrow() && location.hash.length > 1) this.detail.scrollIntoView();
		element.target?.scrollIntoView({ block: "nearest" });
	}

	async follow(hash) {
		const route = parseHash(hash);
		if (route.goroutine !== undefined || route.group !== undefined) {
			if (!BESIDE.includes(this.name)) this.showView(route.group !== undefined ? "groups" : "goroutines");
			this.current.select?.(route);
			await this.showDetail(route);
		} else if (this.known.some(([name]) => name === route.view)) {
			this.showView(route.view);
			if (isNarrow()) document.getElementById("views").scrollIntoView({ block: "nearest" });
			if (route.search !== undefined) this.current.find?.(route.search);
		}
	}

	async start() {
		window.addEventListener("hashchange", (event) => this.onHashChange(event));
		const first = this.model.firstGoroutine();
		this.showView("findings");
		if (location.hash.length > 1) await this.follow(location.hash);
		if (!this.detail.firstChild && first !== undefined) await this.showDetail({ goroutine: first });
		// When that was: a test wants to know.
		document.documentElement.dataset.ready = String(Math.round(performance.now()));
	}
}

function listen(app) {
	listenToKeys({
		list: () => app.current.list,
		stack: () => app.detail.querySelector("[data-steps]"),
		search: () => {
			app.go("#goroutines");
			app.current.search?.focus();
		},
		help: () => app.help.showModal(),
		show: (number) => app.known[number - 1] && app.go("#" + app.known[number - 1][0]),
	});
	document.getElementById("help").addEventListener("click", () => app.help.showModal());
}

function listenToTheme() {
	document.getElementById("theme").addEventListener("click", () => {
		const isDark =
			getComputedStyle(document.documentElement).colorScheme === "dark" ||
			(!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
		document.documentElement.dataset.theme = isDark ? "light" : "dark";
	});
}

// Of a page that a server has sent.
function quitButton(source) {
	const quit = async () => {
		await source.quit();
		replace(document.body, make("p", { class: "ended", role: "status" }, "gosnap serve has ended."));
	};
	return make("button", { id: "quit", title: "End gosnap serve", click: quit }, "Quit");
}

async function showDocument(data, source) {
	const app = new App(new Model(data), source);
	listen(app);
	await app.start();
}

function showFolder(timeline) {
	const title = textOf(timeline.folder);
	add(document.getElementById("heading"), make("strong", {}, title));
	add(document.getElementById("verdict"), counted(timeline.documents.length, "file"));
	document.getElementById("help").remove();
	document.getElementById("views").remove();
	document.body.classList.add("wide");
	replace(document.getElementById("view"), timelineElement(timeline));
	document.title = harmless(title) + " - gosnap";
	document.documentElement.dataset.ready = "true";
}

async function main() {
	const source = ServerSource.isThere() ? new ServerSource() : new EmbeddedSource();
	try {
		listenToTheme();
		if (source.quit) add(document.querySelector(".tools"), " ", quitButton(source));
		const data = await source.start();
		if (data.timeline) showFolder(data.timeline);
		else await showDocument(data, source);
	} catch (error) {
		replace(document.getElementById("verdict"), "This page cannot show its snapshot: " + error.message);
		throw error;
	}
}

main();
