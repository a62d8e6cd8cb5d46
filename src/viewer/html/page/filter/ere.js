// SPDX-License-Identifier: Apache-2.0
// ere.js - POSIX extended regular expressions, which are not what RegExp takes: of bytes, as gosnap show has them.
// All that could match is followed at once, so that no text takes longer than its length times the expression's.

const STEPS_MAX = 4000; // of an expression with its repetitions expanded
const STATES_MAX = 1000; // kept
const TIMES_MAX = 32767;
const NESTED_MAX = 64;
const ANCHORS = { "^": "begin", $: "end", "`": "begin", "'": "end", b: "edge", B: "inside", "<": "opens", ">": "closes" };
const isWordByte = (c) => /^\w$/.test(c);
const isSpaceByte = (c) => /^[ \t\n\v\f\r]$/.test(c);
const BYTE_CLASSES = { w: isWordByte, W: (c) => !isWordByte(c), s: isSpaceByte, S: (c) => !isSpaceByte(c) };
const NAMED_CLASSES = {
	alpha: /[a-zA-Z]/,
	digit: /\d/,
	alnum: /[a-zA-Z\d]/,
	upper: /[A-Z]/,
	lower: /[a-z]/,
	space: /[ \t\n\v\f\r]/,
	blank: /[ \t]/,
	punct: /[!-/:-@[-`{-~]/,
	print: /[ -~]/,
	graph: /[!-~]/,
	cntrl: /[^ -~\u0080-\u00ff]/,
	xdigit: /[\da-fA-F]/,
};

function bytesOf(text) {
	if (/^[\0-\x7f]*$/.test(text)) return text;
	return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}

// From text to a tree of { one } (a test of a byte), { anchor }, { all: parts }, { any: parts } and
// { of, least, most }.
class EreReader {
	constructor(text) {
		Object.assign(this, { text: bytesOf(text), at: 0, depth: 0 });
	}

	takes(words) {
		if (!this.text.startsWith(words, this.at)) return false;
		this.at += words.length;
		return true;
	}

	isAtEnd() {
		const c = this.text[this.at];
		return c === undefined || c === "|" || (c === ")" && this.depth > 0);
	}

	choices() {
		const any = [this.sequence()];
		while (this.takes("|")) any.push(this.sequence());
		return any.length > 1 ? { any } : any[0];
	}

	sequence() {
		const all = [];
		while (!this.isAtEnd()) all.push(this.repeated());
		return { all };
	}

	repeated() {
		let item = this.item();
		if (item.anchor) return item; // what repeats behind it is refused
		for (;;) {
			if (this.takes("*")) item = { of: item, least: 0, most: Infinity };
			else if (this.takes("+")) item = { of: item, least: 1, most: Infinity };
			else if (this.takes("?")) item = { of: item, least: 0, most: 1 };
			else if (this.takes("{")) item = { of: item, ...this.times() };
			else return item;
		}
	}

	times() {
		const [all, low, comma, high] = /^(\d*)(,?)(\d*)/.exec(this.text.slice(this.at)),
			least = Number(low),
			most = comma ? (high ? Number(high) : Infinity) : least;
		this.at += all.length;
		if (!this.takes("}") || (!low && !comma)) throw new Error("what is in {} is no number");
		if (least > most) throw new Error("what is in {} ends before it begins");
		if (least > TIMES_MAX || (most > TIMES_MAX && most !== Infinity)) throw new Error("a number in {} is too large");
		return { least, most };
	}

	item() {
		const c = this.text[this.at++];
		if (c === "(") return this.inside();
		if (c === "[") return { one: this.bracket() };
		if (c === ".") return { one: () => true };
		if (c === "^" || c === "$") return { anchor: ANCHORS[c] };
		if (c === "\\") return this.escape();
		if ("*+?{".includes(c)) throw new Error(`nothing is in front of ${c} that it could repeat`);
		return { one: (byte) => byte === c };
	}

	inside() {
		if (++this.depth > NESTED_MAX) throw new Error("its parentheses are nested too deeply");
		const item = this.choices();
		if (!this.takes(")")) throw new Error("a parenthesis is not closed");
		this.depth--;
		return item;
	}

	escape() {
		const c = this.text[this.at++];
		if (c === undefined) throw new Error("there is nothing behind the backslash");
		if (c >= "1" && c <= "9")
			throw new Error("back-references are not allowed, as they can take forever to match");
		if (ANCHORS[c] && c !== "^" && c !== "$") return { anchor: ANCHORS[c] };
		return { one: BYTE_CLASSES[c] ?? ((byte) => byte === c) };
	}

	// Behind "[".
	bracket() {
		const negated = this.takes("^"),
			tests = [];
		do tests.push(this.inBracket());
		while (!this.takes("]"));
		return (byte) => tests.some((test) => test(byte)) !== negated;
	}

	inBracket() {
		if (this.takes("[:")) return this.namedClass();
		const isClass = this.text.startsWith("[=", this.at),
			low = this.member();
		if (this.text[this.at] !== "-" || this.text[this.at + 1] === "]") return (byte) => byte === low;
		this.at++;
		const endsInClass = this.text.startsWith("[=", this.at),
			high = this.member();
		if (isClass || endsInClass || low > high) throw new Error("a range in [] ends before it begins");
		return (byte) => byte >= low && byte <= high;
	}

	namedClass() {
		const end = this.text.indexOf(":]", this.at),
			test = NAMED_CLASSES[this.text.slice(this.at, Math.max(end, this.at))];
		if (!test) throw new Error("there is no such class in []");
		this.at = end + 2;
		return (byte) => test.test(byte);
	}

	// A byte is called as it is, and no name is longer.
	named(close) {
		const end = this.text.indexOf(close, this.at + 1);
		if (end !== this.at + 1) throw new Error("there is no such character in []");
		this.at = end + close.length;
		return this.text[end - 1];
	}

	member() {
		if (this.takes("[.")) return this.named(".]");
		if (this.takes("[=")) return this.named("=]");
		if (this.at >= this.text.length) throw new Error("a [ is not closed");
		return this.text[this.at++];
	}
}

// Steps, each with the numbers of those behind it, from the last to the first.
class EreSteps {
	constructor(tree) {
		this.list = [{ matches: true, to: [] }];
		this.added = 0;
		this.first = this.add(tree, 0);
	}

	push(step) {
		return this.list.push(step) - 1;
	}

	// Where what leads to a step begins.
	add(item, to) {
		if (++this.added > STEPS_MAX) throw new Error("it is too large with its repetitions expanded");
		if (item.all) return item.all.reduceRight((next, part) => this.add(part, next), to);
		if (item.any) return this.push({ to: item.any.map((part) => this.add(part, to)) });
		if (item.of) return this.repeat(item, to);
		return this.push({ ...item, to: [to] });
	}

	repeat({ of, least, most }, to) {
		let next = to;
		if (most === Infinity) {
			const fork = { to: [to] };
			next = this.push(fork);
			fork.to.push(this.add(of, next));
		}
		for (let i = least; i < most && most !== Infinity; i++) next = this.push({ to: [to, this.add(of, next)] });
		for (let i = 0; i < least; i++) next = this.add(of, next);
		return next;
	}
}

// Between two bytes, each undefined where there is none.
function holdsBetween(anchor, last, next) {
	const before = last !== undefined && isWordByte(last),
		behind = next !== undefined && isWordByte(next);
	if (anchor === "begin") return last === undefined;
	if (anchor === "end") return next === undefined;
	if (anchor === "edge") return before !== behind;
	if (anchor === "inside") return before === behind;
	return anchor === "opens" ? !before && behind : before && !behind;
}

export class Ere {
	constructor(text) {
		const reader = new EreReader(text);
		const steps = new EreSteps(reader.choices());
		this.steps = steps.list;
		this.first = steps.first;
		this.forget();
	}

	forget() {
		this.states = new Map();
		this.start = this.state([], undefined);
	}

	// What has been followed up to a byte: the steps that are next. Where that leads is only found out once.
	state(numbers, last) {
		const kind = last === undefined ? "" : isWordByte(last) ? "a" : "-",
			all = [...new Set([...numbers, this.first])].sort((a, b) => a - b),
			key = kind + all.join();
		if (!this.states.has(key)) this.states.set(key, { numbers: all, last: kind || undefined, to: new Map() });
		return this.states.get(key);
	}

	// true: it matches.
	follow({ numbers, last }, byte) {
		const seen = new Set(numbers),
			next = [];
		for (const number of seen) {
			const step = this.steps[number];
			if (step.matches) return true;
			if (step.one) next.push(...(byte !== undefined && step.one(byte) ? step.to : []));
			else if (!step.anchor || holdsBetween(step.anchor, last, byte)) step.to.forEach((to) => seen.add(to));
		}
		return this.state(next, byte);
	}

	// Anywhere in the text.
	test(words) {
		const text = bytesOf(words);
		let state = this.start;
		for (let at = 0; at <= text.length; at++) {
			const byte = text[at];
			let next = state.to.get(byte);
			if (this.states.size > STATES_MAX) this.forget();
			if (next === undefined) state.to.set(byte, (next = this.follow(state, byte)));
			if (next === true) return true;
			state = next;
		}
		return false;
	}
}
