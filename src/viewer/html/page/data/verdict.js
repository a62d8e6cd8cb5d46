// SPDX-License-Identifier: Apache-2.0
// verdict.js - what is wrong, in a sentence; or that it is not known, and why.

import { textOf } from "../text.js";
import { moreElsewhere } from "./left_out.js";

const CANNOT = "Cannot tell whether anything is wrong";

// As gosnap why says it.
function whyNotLooked({ warnings, go, page }) {
	if (page.damage) return "the snapshot is damaged, and what was found is not there.";
	const explain = ["findings", "go", "layout", "executable", "memory"];
	const missing = (warnings ?? []).findLast((one) => explain.includes(one.where));
	if (missing) return textOf(missing.what);
	return go
		? "the snapshot has no findings, as it was made by an older gosnap, or with --no-analysis."
		: "this is not a Go program.";
}

// Why nothing can be said of what is wrong; undefined: it was looked for.
export function notLookedFor(model) {
	const { head, wrong } = model;
	if (wrong.has("findings") && head.findings.length === 0)
		return CANNOT + ": the snapshot's findings are not as they should be.";
	return head.findings ? undefined : CANNOT + ": " + whyNotLooked(head);
}

// Absent if something is wrong; a snapshot by an older gosnap has none either, so that nothing is known.
function withoutProblem({ verdict }) {
	const unchecked = (verdict?.not_checked ?? []).map((one) => ` Not checked: ${textOf(one)}.`);
	return textOf(verdict?.text) && textOf(verdict.text) + unchecked.join("");
}

export function verdictOf(model) {
	const { fault, findings } = model.head;
	return (
		textOf(fault?.verdict) ||
		withoutProblem(model.head) ||
		textOf(findings?.find((finding) => finding.text !== undefined)?.text) ||
		notLookedFor(model) ||
		moreElsewhere(model, "findings") ||
		CANNOT + ": the snapshot does not say what was checked."
	);
}
