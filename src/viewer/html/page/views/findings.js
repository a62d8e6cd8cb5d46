// SPDX-License-Identifier: Apache-2.0
// findings.js - what is wrong: what ended the process, findings, worst first, what is missing, and what the
// goroutines do.

import { textOf } from "../text.js";
import { count } from "../units.js";
import { firstOf, make, terms } from "../dom.js";
import { isPart, moreElsewhere, moreLine, valuesLeftOut } from "../data/left_out.js";
import { notLookedFor } from "../data/verdict.js";
import { frameLine, goroutineLink, goroutineLinks } from "../goroutine/references.js";
import { statesOf } from "../goroutine/group.js";

const FINDINGS_SHOWN = 200,
	WARNINGS_SHOWN = 200;

function faultElement(model) {
	const { fault } = model.head;
	return (
		fault &&
		make(
			"section",
			{ class: "card critical" },
			make("h2", {}, "What ended it"),
			make("p", {}, textOf(fault.verdict ?? fault.message ?? fault.cause)),
			terms([
				["goroutine", fault.goroutine !== undefined && goroutineLink(model, fault.goroutine)],
				["in", fault.place && frameLine(fault.place)],
				["called by", fault.caller && frameLine(fault.caller)],
				["variable", textOf(fault.variable)],
				["message", textOf(fault.message)],
				["others", fault.others && goroutineLinks(model, fault.others)],
				[
					"signal",
					fault.signal &&
						textOf(fault.signal.name) +
							(fault.signal.address ? ` at ${textOf(fault.signal.address)}` : ""),
				],
			]),
		)
	);
}

// Who has the locks that it is about.
function holdersIn(model, finding) {
	const ids = (finding.addresses ?? []).flatMap((address) =>
		model.holders(address).map((holder) => holder.goroutine),
	);
	return ids.length > 0 && goroutineLinks(model, [...new Set(ids)]);
}

function waitersIn(model, finding) {
	const ids = (finding.addresses ?? []).flatMap((address) => model.waitByAddress.get(address)?.goroutines ?? []);
	return ids.length > 0 && goroutineLinks(model, [...new Set(ids)]);
}

function findingElement(model, finding) {
	return make(
		"section",
		{ class: `card ${["critical", "warning"].includes(finding.severity) ? finding.severity : "info"}` },
		make(
			"h3",
			{},
			make("span", { class: "severity" }, textOf(finding.severity)),
			" ",
			textOf(finding.kind).replaceAll("_", " "),
		),
		make("p", {}, textOf(finding.text)),
		finding.advice && make("p", { class: "quiet" }, textOf(finding.advice)),
		terms([
			["who has it", holdersIn(model, finding)],
			["who waits", waitersIn(model, finding)],
			["evidence", finding.goroutines?.length > 0 && goroutineLinks(model, finding.goroutines)],
		]),
	);
}

function findingsElement(model) {
	const { findings } = model.head,
		why = notLookedFor(model);
	if (why) return make("p", { class: "quiet" }, why);
	return [
		...firstOf(findings, FINDINGS_SHOWN, (finding) => findingElement(model, finding)),
		verdictElement(model.head),
	];
}

// What is known of a process in which nothing is wrong; undefined if something is, or a fault ended it.
function verdictElement({ verdict }) {
	if (!verdict) return undefined;
	const lines = (title, texts) => (texts ?? []).map((text) => make("li", {}, `${title}${textOf(text)}.`));
	return [
		make("p", { class: "quiet" }, textOf(verdict.text)),
		make(
			"ul",
			{ class: "quiet" },
			lines("Not checked: ", verdict.not_checked),
			verdict.checked && lines("Checked: ", [verdict.checked]),
			lines("", verdict.facts),
			verdict.next && lines("Next: ", [verdict.next]),
		),
	];
}

function warningsElement(model) {
	const { warnings, page } = model.head;
	const all = [...(warnings ?? []).map((w) => `${textOf(w.where)}: ${textOf(w.what)}`)];
	if (model.wrong.size > 0)
		all.unshift(
			`These members are not as they should be, and what is wrong of them is left out: ${[...model.wrong].join(", ")}`,
		);
	if (page.damage)
		all.unshift(`The snapshot is damaged, and this is what comes before that: ${textOf(page.damage)}`);
	const more = moreElsewhere(model, "warnings");
	if (more) all.push(more);
	return (
		all.length > 0 && [
			make("h2", {}, "Doubtful or missing"),
			make(
				"ul",
				{ class: "warnings" },
				firstOf(
					all,
					WARNINGS_SHOWN,
					(text) => make("li", {}, text),
					(button) => make("li", {}, button),
				),
			),
		]
	);
}

// Pairs of a state, null of the runtime's own goroutines, and how many; of all goroutines, if the page says that.
function statesOfAll(model) {
	if (model.head.states) return model.head.states;
	const rows = Array.from({ length: model.count }, (_, row) => row);
	const own = rows.filter((row) => !model.isSystem(row)),
		others = rows.length - own.length;
	return [...statesOf(model, own), ...(others > 0 ? [[null, others]] : [])];
}

function statesElement(model) {
	const ofPage = isPart(model) && !model.head.states ? " of this page" : "";
	return make(
		"table",
		{ class: "numbers" },
		make("caption", {}, `Goroutines${ofPage} by what they do`),
		make(
			"tbody",
			{},
			statesOfAll(model).map(([state, n]) =>
				make(
					"tr",
					{},
					make("td", {}, count(n)),
					make("th", { scope: "row" }, state === null ? "of the runtime itself" : textOf(state)),
				),
			),
		),
	);
}

// What a page leaves out has to be said before anybody misses it.
function leftOutElement(model) {
	const words = valuesLeftOut(model);
	return words && make("p", { class: "notice" }, words);
}

export function findingsView(model) {
	return {
		element: make(
			"div",
			{ class: "scroll", tabindex: 0, role: "region", "aria-label": "Findings" },
			leftOutElement(model),
			faultElement(model),
			make("h2", {}, "Findings"),
			findingsElement(model),
			moreLine(model, "findings"),
			warningsElement(model),
			statesElement(model),
		),
	};
}
