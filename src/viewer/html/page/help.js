// SPDX-License-Identifier: Apache-2.0
// help.js - the keys, in a dialog.

import { make } from "./dom.js";

const KEYS = [
	["j k", "next, previous: in a list, or among frames and variables"],
	["Enter", "take it; open or close"],
	["/", "search goroutines"],
	["Esc", "leave the search"],
	["1 to 9, 0", "views"],
	["s", "to the stack"],
	["l", "to the list"],
	["Alt+← Alt+→", "back and forward"],
	["?", "this"],
];

export function helpDialog() {
	return make(
		"dialog",
		{ class: "help", "aria-label": "Keys" },
		make("h2", {}, "Keys"),
		make(
			"table",
			{},
			make(
				"tbody",
				{},
				KEYS.map(([key, what]) =>
					make("tr", {}, make("th", { scope: "row" }, make("kbd", {}, key)), make("td", {}, what)),
				),
			),
		),
		make("h2", {}, "Search"),
		make(
			"p",
			{},
			"All words must be in a goroutine's state, functions, files, labels or address; -word must not. ",
			">5m and <1s compare how long it has waited. Expressions of gosnap-filter(7) are taken, too: ",
			'waiting > 5m && any(frames, own), var.req.URL.Path ~ "^/api".',
		),
		make("form", { method: "dialog" }, make("button", {}, "Close")),
	);
}
