// SPDX-License-Identifier: Apache-2.0
// layers.js - puts the nodes of a directed graph into columns, so that edges lead to the right unless they close
// a ring. Knows nothing of what nodes are.

// How many steps lead to each node at most, without going round.
function depths(nodes, into) {
	const depth = new Map();
	function depthOf(node, path) {
		if (depth.has(node)) return depth.get(node);
		path.add(node);
		const before = into
			.get(node)
			.filter((from) => !path.has(from))
			.map((from) => depthOf(from, path) + 1);
		path.delete(node);
		depth.set(node, Math.max(0, ...before));
		return depth.get(node);
	}
	nodes.forEach((node) => depthOf(node, new Set()));
	return depth;
}

// Arrays of nodes, from the left. Each stands beside the first one that leads to it, as far as there is room.
export function layers(nodes, edges) {
	const into = new Map(nodes.map((node) => [node, []])); // from where edges lead to each
	for (const [from, to] of edges) into.get(to).push(from);
	const depth = depths(nodes, into);
	const columns = [];
	for (const node of nodes) (columns[depth.get(node)] ??= []).push(node);
	const place = new Map();
	const filled = Array.from(columns, (column) => column ?? []);
	for (const column of filled) {
		const wanted = new Map(
			column.map((node) => [
				node,
				Math.min(Infinity, ...into.get(node).map((from) => place.get(from) ?? Infinity)),
			]),
		);
		column.sort((a, b) => wanted.get(a) - wanted.get(b) || 0);
		column.forEach((node, i) => place.set(node, i));
	}
	return filled;
}
