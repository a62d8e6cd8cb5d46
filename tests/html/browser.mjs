// SPDX-License-Identifier: Apache-2.0
// browser.mjs - one Chromium for all cases, and what a page in it must never do.

import { createRequire } from "node:module";

const FLAGS =
	"--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

// The machine may be busy. All cases together have a limit, too.
const PATIENCE_MS = 900_000;

export class Browser {
	// modules: the folder of node_modules.
	static async start(modules) {
		const require = createRequire(modules + "/");
		const { chromium } = require("playwright-core");
		const browser = new Browser();
		browser.axe = require("axe-core").source;
		browser.chromium = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS.split(" ") });
		return browser;
	}

	async context(options) {
		const context = await this.chromium.newContext(options);
		context.setDefaultTimeout(PATIENCE_MS);
		return context;
	}

	// What the page does that it must not is in page.wrongs.
	// path: of a file, or the address of a page with a server of its own.
	async open(path, { hash = "", width = 1280, height = 800, dark = false } = {}) {
		const isServed = path.startsWith("http:"),
			address = isServed ? path : `file://${path}`;
		const context = await this.context({
			viewport: { width, height },
			colorScheme: dark ? "dark" : "light",
		});
		const page = await context.newPage();
		page.wrongs = [];
		page.on("pageerror", (error) => page.wrongs.push(`error: ${error.message}`));
		page.on("console", (message) => page.wrongs.push(`console: ${message.text()}`));
		page.on("dialog", (dialog) => (page.wrongs.push("a dialog"), dialog.dismiss()));
		page.on("request", (request) => {
			if (isServed ? !request.url().startsWith(path) : request.url().split("#")[0] !== address)
				page.wrongs.push(`request: ${request.url().slice(0, 200)}`);
		});
		// One that fails as it starts will never be ready.
		const failed = new Promise((_, reject) => page.once("pageerror", reject));
		failed.catch(() => {});
		await page.goto(address + hash);
		await Promise.race([failed, page.waitForSelector("html[data-ready]")]);
		return page;
	}

	async close(page) {
		await page.context().close();
		if (page.wrongs.length > 0) throw new Error(page.wrongs.slice(0, 10).join("\n"));
	}

	async stop() {
		await this.chromium.close();
	}

	// What axe-core finds in a part of the page, in words. Of what is dark, only colours differ.
	async faults(page, part, onlyColours) {
		if (!(await page.evaluate(() => Boolean(globalThis.axe)))) await page.evaluate(this.axe);
		const options = {
			resultTypes: ["violations"],
			...(onlyColours && { runOnly: ["color-contrast", "link-in-text-block"] }),
		};
		const { violations } = await page.evaluate(
			([where, how]) => globalThis.axe.run(where, how),
			[part, options],
		);
		return violations.map(
			({ id, nodes }) =>
				`${id}: ${nodes[0].html.slice(0, 160)} (${nodes.length}): ${nodes[0].failureSummary.slice(0, 300)}`,
		);
	}
}
