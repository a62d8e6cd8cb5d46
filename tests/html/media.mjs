// SPDX-License-Identifier: Apache-2.0
// media.mjs - the page in narrow windows, and on paper.

import { VIEWS, same, show, showGoroutine } from "./steps.mjs";

async function narrow(browser, folder) {
	const page = await browser.open(`${folder}/sick.html`, { width: 400, height: 800 });
	const wide = await page.evaluate(() => document.documentElement.scrollWidth);
	same(wide <= 400, true, `a page of 400 pixels that is ${wide} wide`);
	const isSeen = (selector) =>
		page.$eval(selector, (element) => {
			const { top } = element.getBoundingClientRect();
			return top >= 0 && top < innerHeight;
		});
	same(await isSeen("#verdict"), true, "the verdict is seen at first");
	await showGoroutine(page, "#g254");
	same(await isSeen("#detail h2"), true, "the goroutine that was chosen is seen");
	await page.keyboard.press("2");
	await page.waitForSelector('nav a[aria-current][href="#groups"]');
	same(await isSeen("nav"), true, "the view that was chosen is seen");
	await browser.close(page);
}

// On paper, which is white, nothing can be scrolled.
async function print(browser, folder) {
	const page = await browser.open(`${folder}/long.html`, { dark: true, height: 300 });
	await page.click("#theme");
	await page.click("#theme");
	same(await page.evaluate(() => document.documentElement.dataset.theme), "dark", "the theme");
	await page.emulateMedia({ media: "print" });
	same(
		await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
		"rgb(255, 255, 255)",
		"what colours take to be behind them",
	);
	for (const view of VIEWS) {
		await page.emulateMedia({ media: "screen" });
		await show(page, "#" + view, `nav a[href="#${view}"][aria-current]`);
		await page.emulateMedia({ media: "print" });
		const cut = await page.$$eval("body *", (all) =>
			all
				.filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowY))
				.filter((element) => element.scrollHeight > element.clientHeight + 1)
				.map((element) => `${element.localName}.${element.className}`),
		);
		same(cut, [], `what is cut off in ${view}`);
	}
	await browser.close(page);
}

export const mediaCases = [
	["fits 400 pixels, and shows what was chosen", narrow],
	["on paper, it is light and whole", print],
];
