// SPDX-License-Identifier: Apache-2.0
// server_source.js - where the data comes from if gosnap serve has sent this page: as source.js, but each thing is
// asked for when it is needed, of the server. Knows addresses, and not what the data means.

import { harmless, textOf } from "../text.js";
import { Unanswered } from "../boundary.js";

// null: there is no such thing.
async function ask(path, options) {
	let response;
	try {
		response = await fetch(path, options);
	} catch {
		throw new Unanswered("gosnap serve does not answer: it has ended, perhaps.");
	}
	if (response.status === 404) return null;
	if (!response.ok) throw new Unanswered(harmless(await response.text()));
	return response;
}

async function askFor(path, options) {
	return (await ask(path, options))?.json() ?? null;
}

export class ServerSource {
	// Was this page sent by one?
	static isThere() {
		return location.protocol === "http:";
	}

	// Or { timeline }, of a folder.
	async start() {
		const all = await askFor("start");
		if (all === null || all.why) throw new Error(textOf(all?.why, "it is not there."));
		this.quitPath = all.head?.page.of_folder ? "../quit" : "quit";
		all.texts?.unshift(undefined);
		return all;
	}

	goroutine(row) {
		return askFor(`goroutine/${row}`);
	}

	object(number) {
		return askFor(`object/${number}`);
	}

	// What an expression selects: { rows } or { error, column }. Aborted by the signal, it costs the server no more.
	where(expression, signal) {
		return askFor(`where?expr=${encodeURIComponent(expression)}`, { signal });
	}

	async globals() {
		return (await askFor("globals")) ?? [];
	}

	// The server ends.
	quit() {
		return ask(this.quitPath, { method: "POST" });
	}
}
