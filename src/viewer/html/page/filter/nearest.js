// SPDX-License-Identifier: Apache-2.0
// nearest.js - which word a mistyped one probably meant: with at most one edit per three letters, a letter missing,
// added, wrong or swapped with its neighbour.

const LONGEST_WORD = 128;

function countEdits(a, b) {
	const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
	for (let i = 1; i <= a.length; i++) {
		rows.push([i]);
		for (let j = 1; j <= b.length; j++) {
			let best = Math.min(
				rows[i - 1][j - 1] + (a[i - 1] !== b[j - 1]),
				rows[i - 1][j] + 1,
				rows[i][j - 1] + 1,
			);
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
				best = Math.min(best, rows[i - 2][j - 2] + 1);
			rows[i].push(best);
		}
	}
	return rows[a.length][b.length];
}

// undefined: none is close enough.
export function nearestOf(word, candidates) {
	const most = Math.floor((word.length + 2) / 3);
	let best, least;
	if (word.length < 2 || word.length > LONGEST_WORD) return undefined;
	for (const candidate of candidates) {
		if (Math.abs(candidate.length - word.length) > most) continue;
		const edits = countEdits(word, candidate);
		if (edits > most || edits >= least) continue;
		best = candidate;
		least = edits;
	}
	return best;
}
