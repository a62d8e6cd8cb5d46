# SPDX-License-Identifier: Apache-2.0
"""What the goroutines of the subject `extras` say that they carry, against the document."""

TEXT_BYTES = 4096  # LIMIT_TEXT_BYTES


def text(value):
    """The bytes of a text of the document."""
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value.encode()


def labels(goroutine, said):
    found = []
    for item in goroutine.get("labels", []):
        value = text(item["value"]).hex() if "value" in item else item
        found.append([text(item["key"]).hex() if "key" in item else item, value,
                      item.get("elided", 0)])
    expected = []
    for key, value in sorted(said.items(), key=lambda pair: bytes.fromhex(pair[0])):
        expected.append([key, value[:2 * TEXT_BYTES], max(0, len(value) // 2 - TEXT_BYTES)])
    if found != expected:
        yield f"labels {found}, not {expected}"


KINDS = {"labels": labels}


def compare(document, facts):
    """What was compared, and where they differ. Who says nothing of a kind has none of it."""
    differences = []
    counts = dict.fromkeys(KINDS, 0)
    for kind, function in KINDS.items():
        said = facts.get(kind, {})
        counts[kind] = len(said)
        if not said:
            differences.append(f"nobody says anything of {kind}")
        for id_, goroutine in document.goroutines.items():
            if str(id_) in said:
                differences += [f"goroutine {id_}: {d}"
                                for d in function(goroutine, said[str(id_)])]
            elif kind in goroutine and not goroutine.get("system"):
                differences.append(f"goroutine {id_} has {kind} {goroutine[kind]}")
        for id_ in said:
            if int(id_) not in document.goroutines:
                differences.append(f"goroutine {id_} is missing")
    return ", ".join(f"{n} {kind}" for kind, n in counts.items()), differences
