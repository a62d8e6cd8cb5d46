// SPDX-License-Identifier: Apache-2.0
// boundary.js - where something cannot be drawn: it is a sentence, and what stands around it is not concerned.

import { make } from "./dom.js";

// It is not the snapshot that cannot be shown.
export class Unanswered extends Error {}

export function sorry(what, error) {
	if (error instanceof Unanswered) return make("p", { class: "notice" }, error.message);
	console.error(error);
	return make(
		"p",
		{ class: "notice" },
		`${what} cannot be shown; the snapshot says what the page does not understand: ${error.message}`,
	);
}

export function attempt(what, act) {
	try {
		return act();
	} catch (error) {
		return sorry(what, error);
	}
}
