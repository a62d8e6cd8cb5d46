// SPDX-License-Identifier: Apache-2.0
// boundary.js - where something cannot be drawn: it is a sentence, and what stands around it is not concerned.

import { make } from "./dom.js";

export function sorry(what, error) {
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
