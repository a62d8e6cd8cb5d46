// SPDX-License-Identifier: Apache-2.0
// verdict.js - what is wrong, in a sentence; or that it is not known, and why.

import { textOf } from "../text.js";
import { moreElsewhere } from "./left_out.js";

// As gosnap why says it.
function whyNotLooked({ warnings, go, page }) {
	if (page.damage) return "the snapshot is damaged, and what was found is not there.";
	const missing = (warnings ?? []).findLast((one) => ["findings", "go", "layout"].includes(one.where));
	if (missing) return textOf(missing.what);
	return go
		? "the snapshot has no findings, as it was made by an older gosnap, or with --no-analysis."
		: "this is not a Go program.";
}

// Why nothing can be said of what is wrong; undefined: it was looked for.
export function notLookedFor(model) {
	const { head, wrong } = model;
	if (wrong.has("findings") && head.findings.length === 0)
		return "Nothing can be said: the snapshot's findings are not as they should be.";
	return head.findings ? undefined : "Nothing can be said: " + whyNotLooked(head);
}

export function verdictOf(model) {
	const { fault, findings, page } = model.head;
	return (
		textOf(fault?.verdict) ||
		textOf(findings?.find((finding) => finding.text !== undefined)?.text) ||
		notLookedFor(model) ||
		moreElsewhere(model, "findings") ||
		(page.damage
			? "Nothing was found to be wrong, but the snapshot is damaged."
			: "Nothing was found to be wrong.")
	);
}
