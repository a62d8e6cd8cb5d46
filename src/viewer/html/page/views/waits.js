// SPDX-License-Identifier: Apache-2.0
// waits.js - who waits for whom, as a graph from left to right: goroutines, what they wait for, who has it, and
// what that one waits for. The table below it has all, and who will do something with what nobody has.

import { textOf } from "../text.js";
import { count, counted } from "../units.js";
import { draw, firstOf, make } from "../dom.js";
import { moreLine } from "../data/left_out.js";
import { goroutineHash } from "../route.js";
import { frameLine, goroutineLink, goroutineLinks } from "../goroutine/references.js";
import { layers } from "./layers.js";

const WAITS_DRAWN = 40,
	PARTNERS_NAMED = 3,
	PARTNERS_DRAWN = 40,
	ROWS_SHOWN = 500;
const WIDTH = 216,
	HEIGHT = 38,
	GAP_X = 70,
	GAP_Y = 12;

function holdersOfWait(wait) {
	return (wait.partners ?? []).filter((partner) => partner.holds);
}

// What somebody has, and what those wait for who have something; else that for which most wait.
function drawn(waits) {
	const byWaiters = [...waits].sort((a, b) => (b.waiters ?? 0) - (a.waiters ?? 0));
	const holders = new Set(waits.flatMap((wait) => holdersOfWait(wait).map((holder) => holder.goroutine)));
	const held = byWaiters.filter(
		(wait) => holdersOfWait(wait).length > 0 || (wait.goroutines ?? []).some((id) => holders.has(id)),
	);
	return (held.length > 0 ? held : byWaiters).slice(0, WAITS_DRAWN);
}

class Graph {
	constructor(model) {
		this.model = model;
		this.nodes = new Map();
		this.edges = [];
		const waits = drawn(model.waits);
		this.holders = new Set(waits.flatMap((wait) => holdersOfWait(wait).map((holder) => holder.goroutine)));
		waits.forEach((wait) => this.addWait(wait));
	}

	node(key, make) {
		if (!this.nodes.has(key)) this.nodes.set(key, { key, ...make() });
		return key;
	}

	goroutine(id) {
		const row = this.model.rowOf(id);
		return this.node(`g${id}`, () => ({
			hash: row === undefined ? undefined : goroutineHash(id),
			title: `goroutine ${id}`,
			second: row === undefined ? "" : this.model.state(row),
			kind: "goroutine",
		}));
	}

	// Those who have nothing themselves are one node, as are those of whom there are too many.
	addWait(wait) {
		const address = textOf(wait.address);
		const lock = this.node(address, () => ({
			title: `${textOf(wait.kind)} ${address}`,
			second: counted(wait.waiters ?? 0, "waits", "wait"),
			kind: "lock",
		}));
		const named = (wait.goroutines ?? []).filter((id) => this.holders.has(id)).slice(0, PARTNERS_DRAWN);
		named.forEach((id) => this.edges.push([this.goroutine(id), lock, ""]));
		const others = (wait.waiters ?? 0) - named.length;
		if (others > 0) {
			const first = (wait.goroutines ?? []).find((id) => !this.holders.has(id));
			const crowd = this.node(`${address} waiters`, () => ({
				title: counted(others, "goroutine"),
				second: "wait",
				kind: "crowd",
				hash: first === undefined ? undefined : goroutineHash(first),
			}));
			this.edges.push([crowd, lock, ""]);
		}
		const holders = holdersOfWait(wait),
			more = holders.length - PARTNERS_DRAWN;
		for (const holder of holders.slice(0, PARTNERS_DRAWN))
			this.edges.push([lock, this.goroutine(holder.goroutine), "has it"]);
		if (more > 0) {
			const crowd = this.node(`${address} holders`, () => ({
				title: `and ${counted(more, "more", "more")}`,
				second: "have it",
				kind: "crowd",
			}));
			this.edges.push([lock, crowd, ""]);
		}
	}
}

function nodeElement(node) {
	const { x, y } = node;
	const content = [
		draw("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 3, class: `node ${node.kind}` }),
		draw("text", { x: x + 8, y: y + 16 }, node.title),
		draw("text", { x: x + 8, y: y + 31, class: "second" }, node.second),
	];
	return node.hash ? draw("a", { href: node.hash }, content) : draw("g", {}, content);
}

function edgeElement(from, to, word) {
	const x1 = from.x + WIDTH,
		y1 = from.y + HEIGHT / 2,
		y2 = to.y + HEIGHT / 2;
	// To the left, where a ring closes, around what lies between.
	const back = to.x <= from.x;
	const x2 = back ? to.x + WIDTH : to.x,
		bend = back ? -40 : 40;
	return [
		draw("path", {
			class: "edge",
			"marker-end": "url(#arrow)",
			d: `M${x1},${y1} C${x1 + 40},${y1} ${x2 - bend},${y2} ${x2},${y2}`,
		}),
		word &&
			draw(
				"text",
				{ class: "second", x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 4, "text-anchor": "middle" },
				word,
			),
	];
}

function picture(graph) {
	const columns = layers([...graph.nodes.keys()], graph.edges);
	columns.forEach((keys, i) =>
		keys.forEach((key, j) =>
			Object.assign(graph.nodes.get(key), { x: 10 + i * (WIDTH + GAP_X), y: 10 + j * (HEIGHT + GAP_Y) }),
		),
	);
	const width = columns.length * (WIDTH + GAP_X),
		height = Math.max(...columns.map((keys) => keys.length)) * (HEIGHT + GAP_Y) + 20;
	return draw(
		"svg",
		{
			class: "graph",
			width,
			height,
			viewBox: `0 0 ${width} ${height}`,
			role: "group",
			"aria-label": "Who waits for whom",
		},
		draw(
			"defs",
			{},
			draw(
				"marker",
				{
					id: "arrow",
					viewBox: "0 0 8 8",
					refX: 7,
					refY: 4,
					markerWidth: 7,
					markerHeight: 7,
					orient: "auto",
				},
				draw("path", { d: "M0,0 L8,4 L0,8 z", class: "head" }),
			),
		),
		graph.edges.map(([from, to, word]) => edgeElement(graph.nodes.get(from), graph.nodes.get(to), word)),
		[...graph.nodes.values()].map(nodeElement),
	);
}

// Who has it; if nobody does, some who will do something with it.
function namedPartners(wait) {
	const holders = holdersOfWait(wait);
	return holders.length > 0 ? holders : (wait.partners ?? []).slice(0, PARTNERS_NAMED);
}

function partnerLine(model, partner) {
	return make(
		"div",
		{},
		partner.goroutine === undefined ? "?" : goroutineLink(model, partner.goroutine),
		partner.holds
			? ` has it (${textOf(partner.holds)})`
			: ` will ${textOf(partner.operation)}, ${textOf(partner.ahead)}`,
		partner.locked_at && [", locked in ", frameLine(partner.locked_at)],
	);
}

function waitsTable(model) {
	return make(
		"table",
		{ class: "rows" },
		make(
			"thead",
			{},
			make(
				"tr",
				{},
				["What", "Wait", "Goroutines", "Who has it, or will do something"].map((head) =>
					make("th", { scope: "col" }, head),
				),
			),
		),
		make(
			"tbody",
			{},
			model.waits.slice(0, ROWS_SHOWN).map((wait) =>
				make(
					"tr",
					{},
					make("td", {}, `${textOf(wait.kind)} ${textOf(wait.address)}`),
					make("td", {}, count(wait.waiters ?? 0)),
					make("td", {}, goroutineLinks(model, wait.goroutines ?? [], 8)),
					make(
						"td",
						{},
						firstOf(namedPartners(wait), PARTNERS_DRAWN, (partner) => partnerLine(model, partner)),
					),
				),
			),
		),
	);
}

export function waitsView(model) {
	const left = model.waits.length - ROWS_SHOWN;
	return {
		element: make(
			"div",
			{ class: "scroll", tabindex: 0, role: "region", "aria-label": "Waits" },
			model.waits.length === 0
				? make(
						"p",
						{ class: "quiet" },
						"No two goroutines wait for one thing, as far as the snapshot says.",
					)
				: [
						make(
							"div",
							{ class: "canvas", tabindex: 0, role: "region", "aria-label": "Graph" },
							picture(new Graph(model)),
						),
						waitsTable(model),
					],
			moreLine(model, "waits"),
			left > 0 && make("p", { class: "quiet" }, `${count(left)} more are not in the table.`),
		),
	};
}
