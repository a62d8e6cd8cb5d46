# SPDX-License-Identifier: Apache-2.0
"""Small mutations of C sources, for tests/mutate: where they can be made, and which to draw.

A lexer finds the places; it knows no types. Mutations keep the number of lines, so that the
line numbers in messages and assertions stay as they are.
"""
import collections
import os
import random
import re

import matrix

TOKEN = re.compile(r"""
    (?P<space>(?:\s|\\\n)+)
  | (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<directive>\#(?:/\*.*?\*/|\\.|[^\n\\])*)
  | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|[<>=!]=|&&|\|\||[-+*/%&|^]=|.)
""", re.S | re.X)
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$")
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
FLIPPED = {"&&": "||", "||": "&&", "true": "false", "false": "true"}
KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof", "do", "else", "case", "goto", "break",
            "continue", "default"}
# A ternary's condition begins behind one of these.
BEFORE_CONDITION = {"(", "[", "{", "}", ";", ",", "?", ":", "=", "+=", "-=", "*=", "/=", "%=", "&=",
                    "|=", "^=", "<<=", ">>=", "return", "case"}
# Calls that are not removed. Without a call that frees or closes, something leaks until the process exits, which only
# the leak checks of the sanitizers detect. Without an assertion, a correct program behaves the same.
UNSEEN_CALLS = re.compile(r"(?:.*_)?_?(free|xfree|done|close|close_fd|closedir|fclose|munmap|assert|_Static_assert"
                          r"|madvise)$")
DEFINITION = re.compile(r"#\s*define\s+([A-Z]\w*)[ \t]+(\S(?:\\\n|[^\\\n])*)$", re.S)
# Numbers, other constants and what joins them.
CONSTANT = re.compile(r"(?:[\d\s()*+<x-]|\b0x[0-9a-fA-F]+|\b[0-9]+[uUlL]+|\bU?INT\d+_C\b|\b[A-Z][A-Z0-9_]+\b)+$")

Token = collections.namedtuple("Token", "kind text start end")


class Mutation(collections.namedtuple("Mutation", "file function operator start end old new line before after")):
    """Replaces file[start:end], whose text is old, with new. before and after are the affected source lines, joined
    into one, for printing."""
    def __str__(self):
        return f"{self.file}:{self.line}: `{shortened(self.old)}` became `{shortened(self.new)}`"

    def key(self):
        """Returns the beginning of this mutation's line in tests/mutants, which has no line number."""
        return f"{self.file}: {self.function}: {self.before} -> {self.after}: "


def shortened(text):
    text = " ".join(text.split())
    return text if len(text) < 70 else text[:67] + "..."


def tokens_of(source):
    """Without spaces and comments."""
    return [Token(m.lastgroup, m.group(), m.start(), m.end()) for m in TOKEN.finditer(source)
            if m.lastgroup not in ("space", "comment")]


class Source:
    """One file: its tokens, the partners of its brackets, and the function around each token."""
    def __init__(self, name, text):
        self.name, self.text = name, text
        self.tokens = tokens_of(text)
        self.partners = self._pair()
        self.functions, self.in_enum = self._scopes()
        self.found = []

    def _pair(self):
        partners, pending = {}, []
        for i, token in enumerate(self.tokens):
            if token.kind == "sign" and token.text in "([{":
                pending.append(i)
            elif token.kind == "sign" and token.text in ")]}" and pending:
                partners[i] = pending.pop()
                partners[partners[i]] = i
        return partners

    def word(self, i):
        """The text of a token; nothing outside of the file."""
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def _name_before(self, i):
        """The function whose body opens at token i; None: that is no body."""
        while self.word(i - 1) == ")":
            i = self.partners.get(i - 1, 0)
            if self.tokens[i - 1].kind == "name" and self.word(i - 1) not in ("__attribute__",):
                # BPF_KPROBE(name, ...) and its like.
                macro = re.match("BPF_[A-Z]+$", self.word(i - 1))
                return self.word(i + 1) if macro else self.word(i - 1)
        return None

    def _scopes(self):
        """(the function, is it within the braces of an enum) of each token."""
        functions, in_enum = [None] * len(self.tokens), [False] * len(self.tokens)
        i = 0
        while i < len(self.tokens):
            if self.word(i) == "{" and i in self.partners and functions[i] is None:
                name = self._name_before(i)
                if name:
                    for j in range(i, self.partners[i] + 1):
                        functions[j] = name
            if self.word(i) == "{" and i in self.partners and "enum" in (self.word(i - 1), self.word(i - 2)):
                for j in range(i, self.partners[i]):
                    in_enum[j] = True
            i += 1
        return functions, in_enum

    def add(self, i, operator, start, end, new):
        """Tokens from start to before end become new."""
        begin, stop = self.tokens[start].start, self.tokens[end - 1].end
        self.add_text(i, operator, begin, stop, new)

    def add_text(self, i, operator, begin, stop, new):
        old = self.text[begin:stop]
        new += "\n" * (old.count("\n") - new.count("\n"))
        first = self.text.rfind("\n", 0, begin) + 1
        last = self.text.find("\n", stop)
        last = len(self.text) if last < 0 else last
        self.found.append(Mutation(
            self.name, self.functions[i] or "-", operator, begin, stop, old, new,
            self.text.count("\n", 0, begin) + 1, " ".join(self.text[first:last].split()),
            " ".join((self.text[first:begin] + new + self.text[stop:last]).split())))

    def span(self, start, end):
        return self.text[self.tokens[start].start:self.tokens[end - 1].end]


def negate(source, i, start, end):
    source.add(i, "condition", start, end, f"!({source.span(start, end)})")


def comparison(source, i):
    if source.word(i) in COMPARISONS and not of_descriptor(source, i):
        source.add(i, "comparison", i, i + 1, COMPARISONS[source.word(i)])


def logic(source, i):
    if source.word(i) in ("&&", "||"):
        source.add(i, "logic", i, i + 1, FLIPPED[source.word(i)])


def condition(source, i):
    """Of if and while."""
    if source.word(i) in ("if", "while") and source.word(i + 1) == "(":
        negate(source, i, i + 2, source.partners[i + 1])


def ternary(source, i):
    if source.word(i) != "?" or source.word(i + 1) == ":":
        return
    start = i
    while source.word(start - 1) not in BEFORE_CONDITION:
        start = source.partners.get(start - 1, start - 1)
    if start < i:
        negate(source, i, start, i)


def returned(source, i):
    if source.word(i) == "return" and source.word(i + 1) in ("true", "false") and source.word(i + 2) == ";":
        source.add(i, "return", i + 1, i + 2, FLIPPED[source.word(i + 1)])


def is_statement(source, i):
    """Does one begin at token i?"""
    before = source.word(i - 1)
    if before == ")":
        return source.word(source.partners.get(i - 1, 0) - 1) in ("if", "while", "for")
    return before in (";", "{", "}", "else", "do")


def call(source, i):
    if source.tokens[i].kind != "name" or source.word(i) in KEYWORDS or not is_statement(source, i):
        return
    end = i + 1
    while source.word(end) in ("->", "."):
        end += 2
    if source.word(end) != "(" or end not in source.partners or UNSEEN_CALLS.match(source.word(end - 1)):
        return
    end = source.partners[end] + 1
    if source.word(end) == ";":
        source.add(i, "call", i, end, "(void)0")


def is_buffer_size(source, i):
    """As in char name[32]: one byte more changes nothing that can be seen."""
    if source.word(i - 1) != "[" or source.word(i + 1) != "]" or source.tokens[i - 2].kind != "name":
        return False
    kind, before = source.tokens[i - 3].kind, source.word(i - 3)
    return (kind == "name" and before not in KEYWORDS or before == ","
            and source.word(i + 2) in (",", ";")) and source.word(i + 2) in (",", ";", "=", "[")


def of_descriptor(source, i):
    """Is token i, or the sign before it, within fd < 0? Descriptor 0 is standard input, and open."""
    sign = i if source.word(i) in COMPARISONS else i - 1
    return (source.word(sign) in COMPARISONS and source.word(sign + 1) == "0"
            and re.search("(^|_)fd$", source.word(sign - 1)) is not None)


def changed_number(text):
    """n + 1, or 0 for 1; None: it is no integer."""
    number = NUMBER.match(text)
    if not number:
        return None
    digits, suffix = number.groups()
    if digits.lower().startswith("0x"):
        return f"{int(digits, 16) + 1:#x}{suffix}"
    if len(digits) > 1 and digits[0] == "0":
        return f"0{int(digits, 8) + 1:o}{suffix}"
    return ("0" if digits == "1" else str(int(digits) + 1)) + suffix


def constant(source, i):
    token = source.tokens[i]
    if token.kind != "number" or source.in_enum[i] or is_buffer_size(source, i) or \
            of_descriptor(source, i):
        return
    new = changed_number(token.text)
    if new:
        source.add(i, "constant", i, i + 1, new)


def end_of_value(source, i):
    """The comma, semicolon or brace behind an initializer that begins at token i."""
    while source.word(i) not in ("", ",", ";", "}", ")"):
        i = source.partners.get(i, i) + 1
    return i


def is_limit(text):
    """A constant above 1 that is no bit of a mask: these are written 1 << n or in hexadecimal."""
    return bool(CONSTANT.match(text) and re.search(r"\d", text) and not re.match(r"\(*(0x|-)", text)
                and not re.fullmatch(r"\(*(U?INT\d+_C\()?[01]u?l*\)*(\s*<<\s*\d)?\)*", text.strip(), re.I)
                and "," not in text)


def is_flags(source, i):
    """Are the values of the enum around token i 1, 2 and 4?"""
    begin = i
    while source.word(begin) != "{":
        begin = source.partners[begin] if source.word(begin) in (")", "]") else begin - 1
    words = [source.word(j + 1) for j in range(begin, source.partners[begin]) if source.word(j) == "="]
    return {"1", "2", "4"} <= set(words) or words[:2] == ["1", "2"]


def is_static_const(source, i):
    """Is the name before token i one of a static constant?"""
    begin = i
    while begin > 0 and source.word(begin - 1) not in (";", "{", "}") and \
            source.tokens[begin - 1].kind != "directive" and i - begin < 8:
        begin -= 1
    words = [source.word(j) for j in range(begin, i)]
    return "static" in words and "const" in words and "[" not in words and "*" not in words


def times_ten(value):
    return f"{value} * 10" if re.fullmatch(r"\w+|\w*\([^()]*\)", value) else f"({value}) * 10"


def limit(source, i):
    """Of an enumerator or a static constant: times ten."""
    if source.word(i) != "=" or source.tokens[i - 1].kind != "name":
        return
    if not (source.in_enum[i] and not is_flags(source, i) or is_static_const(source, i)):
        return
    end = end_of_value(source, i + 1)
    value = source.span(i + 1, end)
    if is_limit(value):
        source.add(i, "limit", i + 1, end, times_ten(value))


def definition(source, i):
    if source.tokens[i].kind != "directive":
        return
    text = source.tokens[i].text
    define = DEFINITION.match(re.sub(r"/\*.*?\*/", lambda m: " " * len(m.group()), text, flags=re.S).rstrip())
    if define and is_limit(define[2]):
        begin = source.tokens[i].start + define.start(2)
        source.add_text(i, "limit", begin, source.tokens[i].start + define.end(2), f"({times_ten(define[2])})")


IN_FUNCTIONS = (comparison, logic, condition, ternary, returned, call, constant)


def mutations(name, text):
    """All of a file."""
    source = Source(name, text)
    for i in range(len(source.tokens)):
        limit(source, i)
        definition(source, i)
        if source.functions[i] and source.tokens[i].kind != "directive" and not is_asserted(source, i):
            for operator in IN_FUNCTIONS:
                operator(source, i)
    return source.found


def is_asserted(source, i):
    """Is token i within the parentheses of an assertion?"""
    begin = i
    while begin > 0 and source.word(begin) not in (";", "{", "}"):
        if source.word(begin) in ("assert", "_Static_assert"):
            return True
        begin -= 1
    return False


def apply(mutation, text):
    return text[:mutation.start] + mutation.new + text[mutation.end:]


def drawn(found, seed):
    """Yields mutations, operators by turns, the file of which least was drawn for its size, and
    no line twice. The same for the same seed and sources."""
    rng = random.Random(seed)
    pools = collections.defaultdict(list)
    for mutation in found:
        pools[mutation.operator, mutation.file].append(mutation)
    sizes = collections.Counter(mutation.file for mutation in found)
    by_operator, by_file, used = collections.Counter(), collections.Counter(), set()
    while pools:
        operator = min(sorted({operator for operator, _ in pools}),
                       key=lambda o: (by_operator[o], rng.random()))
        file = min(sorted(file for o, file in pools if o == operator),
                   key=lambda f: (by_file[f] / sizes[f], rng.random()))
        pool = pools[operator, file]
        mutation = pool.pop(rng.randrange(len(pool)))
        if not pool:
            del pools[operator, file]
        if (file, mutation.line) in used:
            continue
        used.add((file, mutation.line))
        by_operator[operator] += 1
        by_file[file] += 1
        yield mutation


def explanations():
    """Returns the lines of tests/mutants except comments, with each run of white space as one space."""
    with open(os.path.join(matrix.TESTS, "mutants"), encoding="utf-8") as f:
        return [" ".join(line.split()) for line in f if line.strip() and line[0] != "#"]


def explanation(key, lines):
    """Returns why no test can detect the mutation of this key, or None if no line explains it."""
    return next((line[len(key):] for line in lines if line.startswith(key)), None)
