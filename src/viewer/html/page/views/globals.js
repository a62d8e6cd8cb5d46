// SPDX-License-Identifier: Apache-2.0
// globals.js - package variables, if the snapshot has any.

import { textOf } from "../text.js";
import { make, replace } from "../dom.js";
import { sorry } from "../boundary.js";
import { takeValue } from "../data/shapes.js";
import { Place, node } from "../goroutine/values.js";

export function globalsView(model, go, source) {
	const all = make("div", { class: "stack", "data-steps": true }, make("p", { class: "quiet" }, "…"));
	const variableNode = (variable) => {
		const name = textOf(variable.name, "?");
		return node(name, variable, new Place(source, model, () => "#globals", [name]));
	};
	source
		.globals()
		.then((globals) => globals.map(takeValue).filter(Boolean).map(variableNode))
		.catch((error) => sorry("Package variables", error))
		.then((nodes) => replace(all, nodes));
	return {
		element: make(
			"div",
			{ class: "scroll", tabindex: 0, role: "region", "aria-label": "Package variables" },
			make("h2", {}, "Package variables"),
			all,
		),
	};
}
