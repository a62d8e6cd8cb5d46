// SPDX-License-Identifier: Apache-2.0
// groups.js - the groups of goroutines with equal stacks, largest first.

import { count, counted } from "../units.js";
import { make } from "../dom.js";
import { allGoroutines } from "../data/left_out.js";
import { groupHash } from "../route.js";
import { List } from "../list.js";
import { frameLine } from "../goroutine/references.js";
import { ageRange, statesOf } from "../goroutine/group.js";

const GROUP_LINE = 44; // pixels, as in style.css

export function groupsView(model, go) {
	// Of those goroutines that the page has.
	const among = (group, rows) => (rows.length < group.count ? `${count(rows.length)} here` : "");
	const groups = [...model.groups].sort((a, b) => b.count - a.count);
	const summaries = new Map(); // of groups that were shown: there may be many members to look at
	const summaryOf = (group) => {
		const rows = model.members(group),
			states = statesOf(model, rows).slice(0, 2);
		return [among(group, rows), ...states.map(([state]) => state), ageRange(model, rows)].filter(Boolean).join(", ");
	};
	const line = (index) => {
		const group = groups[index];
		if (!summaries.has(group)) summaries.set(group, summaryOf(group));
		return [
			make("span", { class: "count" }, count(group.count)),
			make("span", { class: "main" }, frameLine(model.mainFrame(group))),
			make("span", { class: "second" }, summaries.get(group)),
		];
	};
	const list = new List({
		label: "Groups",
		height: GROUP_LINE,
		line,
		choose: (index) => go(groupHash(groups[index].id)),
	});
	list.element.classList.add("groups");
	list.setCount(groups.length);
	return {
		list,
		element: make(
			"div",
			{ class: "pane" },
			make(
				"p",
				{ class: "quiet bar" },
				`${allGoroutines(model)} in ${counted(model.totals.groups ?? groups.length, "group")} of equal stacks`,
			),
			list.element,
		),
		select: ({ group }) => list.mark(groups.findIndex((one) => one.id === group)),
	};
}
