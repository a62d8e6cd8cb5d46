# SPDX-License-Identifier: Apache-2.0
"""How much of a document is redacted: of its values, its argument words and its registers."""
import re

KINDS = "values", "argument words", "registers"


def _count(node, all_, redacted):
    if isinstance(node, list):
        for inner in node:
            _count(inner, all_, redacted)
        return
    if not isinstance(node, dict):
        return
    all_["values"] += "type" in node
    redacted["values"] += "redacted" in node
    for key, inner in node.items():
        if key == "argument_words" and isinstance(inner, str):
            words = re.findall(r"0x[0-9a-f]+|redacted", inner)
            all_["argument words"] += len(words)
            redacted["argument words"] += words.count("redacted")
        elif key == "registers" and isinstance(inner, dict):
            all_["registers"] += len(inner)
            redacted["registers"] += list(inner.values()).count("redacted")
        else:
            _count(inner, all_, redacted)


def of(document):
    """For each kind how many there are, and how many of them are redacted."""
    all_, redacted = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
    for part in ("goroutines", "threads", "objects"):
        _count(document.get(part, []), all_, redacted)
    return {kind: (all_[kind], redacted[kind]) for kind in KINDS}
