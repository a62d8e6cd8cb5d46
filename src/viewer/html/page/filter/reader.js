// SPDX-License-Identifier: Apache-2.0
// reader.js - an expression, token by token, and how it is said what is wrong and where. Knows no grammar.

import { tokenAt } from "./lexer.js";

const WRITTEN_SHOWN = 40;

// In characters from 1 on. unfinished: more text may make it right.
export class WrongExpression extends Error {
	constructor(message, text, at, unfinished) {
		super(message);
		this.column = 1 + [...text.slice(0, at)].length;
		this.unfinished = unfinished;
	}
}

export class ExpressionReader {
	constructor(text) {
		Object.assign(this, { text, end: 0, depth: 0, parts: 0, literals: 0, patterns: 0, inFrames: false });
		this.now = tokenAt(text, 0);
	}

	advance() {
		this.end = this.now.at + this.now.len;
		this.now = tokenAt(this.text, this.end);
	}

	next() {
		return tokenAt(this.text, this.now.at + this.now.len);
	}

	isAt(sign) {
		return this.now.kind === "sign" && this.now.sign === sign;
	}

	isName(name) {
		return this.now.kind === "name" && this.now.words === name;
	}

	takes(sign) {
		if (!this.isAt(sign)) return false;
		this.advance();
		return true;
	}

	written(token = this.now) {
		return this.text.slice(token.at, token.at + Math.min(token.len, WRITTEN_SHOWN));
	}

	// Of what lies between two places.
	wrong(at, end, message, unfinished = end === this.text.length) {
		return new WrongExpression(message, this.text, at, unfinished);
	}

	wrongHere(message) {
		return this.wrong(this.now.at, this.now.at + this.now.len, message);
	}

	expected(what) {
		if (this.now.kind === "bad") return this.wrongHere(this.now.why);
		if (this.isAt("=")) return this.wrongHere("= is no comparison: write ==");
		if (this.now.kind === "end") return this.wrongHere(`expected ${what} at the end`);
		return this.wrongHere(`expected ${what}, not ${this.written()}`);
	}

	needs(sign, where) {
		if (!this.takes(sign)) throw this.expected(`${sign} ${where}`);
	}
}
