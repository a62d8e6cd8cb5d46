/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/terminal/nearest.h"

#include <string.h>

enum { WORD_MAX = 128 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Restricted Damerau-Levenshtein; both words are at most WORD_MAX long. */
static unsigned count_edits(const char *a, const char *b)
{
	unsigned rows[WORD_MAX + 1][WORD_MAX + 1];
	size_t m = strlen(a), n = strlen(b);
	for (size_t i = 0; i <= m; i++)
		rows[i][0] = (unsigned)i;
	for (size_t j = 0; j <= n; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= m; i++) {
		for (size_t j = 1; j <= n; j++) {
			unsigned best = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			best = least(best, rows[i - 1][j] + 1);
			best = least(best, rows[i][j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				best = least(best, rows[i - 2][j - 2] + 1);
			rows[i][j] = best;
		}
	}
	return rows[m][n];
}

void nearest_try(struct nearest *nearest, const char *candidate)
{
	const size_t len = strlen(nearest->word), other = strlen(candidate);
	const size_t least_edits = len > other ? len - other : other - len;
	unsigned edits;
	if (len < 2 || len > WORD_MAX || other > WORD_MAX || least_edits > (len + 2) / 3)
		return;
	edits = count_edits(nearest->word, candidate);
	if (edits > (len + 2) / 3 || (nearest->best && edits >= nearest->edits))
		return;
	nearest->best = candidate;
	nearest->edits = edits;
}
