// SPDX-License-Identifier: Apache-2.0
// parse.js - from an expression of gosnap-filter(7) to a tree of conditions, with the grammar and the sentences of
// src/viewer/filter/parse.c: { kind, parts, path, how, literals, ere }.

import { ExpressionReader } from "./reader.js";
import { FIELD_TYPES } from "./fields.js";
import { FILTER_FUNCTIONS, parseField } from "./parse_field.js";
import { parseComparison, parseNumberComparison } from "./parse_comparison.js";

const EXPRESSION_BYTES = 16384;
const DEPTH_MAX = 64;
const PARTS_MAX = 1024;

function goDeeper(p) {
	if (++p.depth > DEPTH_MAX) throw p.wrongHere(`it is nested more than ${DEPTH_MAX} levels deep`);
}

class ExpressionParser {
	constructor(text) {
		this.p = new ExpressionReader(text);
	}

	// Behind "(", which is at open.
	inside(open) {
		const { p } = this;
		goDeeper(p);
		const x = this.or();
		p.depth--;
		if (p.now.kind === "end") throw p.wrong(open, open + 1, "this parenthesis is not closed", true);
		p.needs(")", "or && or ||");
		return x;
	}

	// Behind "any(".
	frames(kind, at) {
		const { p } = this;
		if (p.inFrames) throw p.wrong(at, p.end, "any(), all() and count() cannot be inside of one another");
		if (!p.isName("frames")) throw p.expected("frames");
		p.advance();
		if (kind === "count" && p.takes(")")) return { kind, parts: [] };
		p.needs(",", "and a condition on a frame");
		p.inFrames = true;
		const part = this.inside(at);
		p.inFrames = false;
		return { kind, parts: [part] };
	}

	contains(at) {
		const { p } = this,
			path = parseField(p),
			{ name, type } = path.field;
		if (type !== "text" && type !== "any")
			throw p.wrong(at, p.end, `${name} is ${FIELD_TYPES[type][0]}: contains() is of text`);
		p.needs(",", "and a text");
		const { kind, words } = p.now;
		if (kind !== "text") throw p.expected("a text in quotes");
		p.advance();
		p.needs(")", "behind the text");
		return { kind: "compare", how: "contains", path, literals: [{ kind, words }] };
	}

	has() {
		const path = parseField(this.p);
		this.p.needs(")", "behind the field");
		return { kind: "has", path };
	}

	length(at) {
		const { p } = this,
			{ path } = this.has();
		if (path.field.type !== "any") throw p.wrong(at, p.end, "len() is of a variable, as in len(var.ids)");
		return { kind: "compare", path: { ...path, isLength: true }, ...parseNumberComparison(p, "len()") };
	}

	call(name, at) {
		const { p } = this;
		p.advance();
		p.advance();
		if (name === "has") return this.has();
		if (name === "contains") return this.contains(at);
		if (name === "len") return this.length(at);
		const x = this.frames(name, at);
		return name === "count" ? { ...x, ...parseNumberComparison(p, "count()") } : x;
	}

	primary() {
		const { p } = this,
			{ at, kind, words } = p.now,
			next = p.next();
		if (++p.parts > PARTS_MAX) throw p.wrongHere(`it has more than ${PARTS_MAX} conditions`);
		if (p.takes("(")) return this.inside(at);
		if (kind !== "name") throw p.expected("a condition, as in waiting > 5m");
		if (next.sign === "(" && FILTER_FUNCTIONS.includes(words)) return this.call(words, at);
		if (words !== "true" && words !== "false") return parseComparison(p, parseField(p), at);
		p.advance();
		return { kind: "constant", truth: words === "true" };
	}

	not() {
		const { p } = this;
		if (!p.takes("!")) return this.primary();
		goDeeper(p);
		const part = this.not();
		p.depth--;
		return { kind: "not", parts: [part] };
	}

	chain(sign, kind, parse) {
		const parts = [parse()];
		while (this.p.takes(sign)) parts.push(parse());
		return parts.length > 1 ? { kind, parts } : parts[0];
	}

	and() {
		return this.chain("&&", "and", () => this.not());
	}

	or() {
		return this.chain("||", "or", () => this.and());
	}

	whole() {
		const { p } = this;
		if (new TextEncoder().encode(p.text).length > EXPRESSION_BYTES)
			throw p.wrong(0, 0, `it is longer than ${EXPRESSION_BYTES} bytes`);
		const x = this.or();
		if (p.isAt(")")) throw p.wrong(p.now.at, p.now.at + 1, "no parenthesis is open here");
		if (p.now.kind !== "end") throw p.expected("&& or ||");
		return x;
	}
}

// Throws a WrongExpression.
export function parseExpression(text) {
	return new ExpressionParser(text).whole();
}
