# SPDX-License-Identifier: Apache-2.0
"""What is inside a page of gosnap html."""
import base64
import gzip
import json
import re


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def blocks(page):
    """{kind: [JSON of each block]}"""
    found = {}
    for kind, data in re.findall(r'<script type="application/gosnap" data-kind="(\w+)" [^>]*>([^<]*)</script>', page):
        found.setdefault(kind, []).append(json.loads(gzip.decompress(base64.b64decode(data))))
    return found


def numbered(found, kind):
    return {number: element for block in found.get(kind, []) for number, element in zip(block[::2], block[1::2])}


def start(found):
    """What the page knows from the start, as gosnap serve answers it."""
    return {"head": found["head"][0][0], "texts": found["texts"][0], "columns": found["rows"][0]}
