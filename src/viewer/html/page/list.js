// SPDX-License-Identifier: Apache-2.0
// list.js - a list of any length, of which only those lines exist that can be seen. Knows nothing of what
// is in a line.

import { make } from "./dom.js";
import { attempt } from "./boundary.js";

const BEYOND = 8; // lines made above and below what is seen
const HIGHEST = 10_000_000; // pixels; browsers cut off what is a few times higher

export class List {
	// line(index) makes the content of one; choose(index) is called when somebody takes it.
	constructor({ label, height, line, choose }) {
		Object.assign(this, { height, line, choose, count: 0, current: -1, lines: new Map() });
		this.name = "list" + List.made++;
		this.space = make("div", { class: "space", role: "presentation" });
		this.element = make(
			"div",
			{
				class: "list",
				role: "listbox",
				tabindex: 0,
				"aria-label": label,
				scroll: () => this.show(),
				keydown: (event) => this.key(event),
				click: (event) => this.click(event),
			},
			this.space,
		);
		new ResizeObserver(() => this.show()).observe(this.element);
	}

	setCount(count) {
		this.count = count;
		this.current = Math.min(this.current, count - 1);
		this.space.style.height = Math.min(HIGHEST, count * this.height) + "px";
		this.refresh();
	}

	// How much faster lines go by than the space for them: there may be more lines than it has room for.
	get speed() {
		const whole = this.count * this.height,
			seen = this.element.clientHeight;
		return whole > HIGHEST ? (whole - seen) / (HIGHEST - seen) : 1;
	}

	// How far all lines are scrolled.
	get top() {
		return this.element.scrollTop * this.speed;
	}

	set top(top) {
		this.element.scrollTop = top / this.speed;
	}

	put(line, index) {
		line.style.transform = `translateY(${index * this.height - this.top + this.element.scrollTop}px)`;
	}

	// What lines say has changed.
	refresh() {
		this.space.replaceChildren();
		this.lines.clear();
		this.show();
	}

	makeLine(index) {
		const line = make(
			"div",
			{
				role: "option",
				id: `${this.name}-${index}`,
				"aria-posinset": index + 1,
				"aria-setsize": this.count,
				"aria-selected": String(index === this.current),
				"data-index": index,
			},
			attempt("This line", () => this.line(index)),
		);
		line.style.height = this.height + "px";
		this.put(line, index);
		return line;
	}

	show() {
		const { top, speed } = this;
		const first = Math.max(0, Math.floor(top / this.height) - BEYOND);
		const last = Math.min(
			this.count - 1,
			Math.ceil((top + this.element.clientHeight) / this.height) + BEYOND,
		);
		for (const [index, line] of this.lines)
			if (index < first || index > last) {
				line.remove();
				this.lines.delete(index);
			} else if (speed !== 1) this.put(line, index);
		for (let index = first; index <= last; index++)
			if (!this.lines.has(index)) {
				const line = this.makeLine(index);
				this.lines.set(index, line);
				this.space.append(line);
			}
	}

	// -1: none.
	mark(index) {
		this.lines.get(this.current)?.setAttribute("aria-selected", "false");
		this.current = index;
		if (index < 0) {
			this.element.removeAttribute("aria-activedescendant");
			return;
		}
		const top = index * this.height,
			{ clientHeight } = this.element;
		if (top < this.top) this.top = top;
		else if (clientHeight && top + this.height > this.top + clientHeight)
			this.top = top + this.height - clientHeight;
		this.show();
		this.lines.get(index)?.setAttribute("aria-selected", "true");
		this.element.setAttribute("aria-activedescendant", `${this.name}-${index}`);
	}

	// Goes by so many lines, and takes the one there.
	go(by) {
		const index = Math.max(0, Math.min(this.count - 1, this.current + by));
		if (index === this.current || this.count === 0) return;
		this.mark(index);
		this.choose(index);
	}

	key(event) {
		const page = Math.max(1, Math.floor(this.element.clientHeight / this.height) - 1);
		const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[
			event.key
		];
		if (event.key === "Enter" && this.current >= 0) this.choose(this.current);
		else if (by !== undefined) this.go(by);
		else return;
		event.preventDefault();
	}

	click(event) {
		const line = event.target.closest("[data-index]");
		if (!line) return;
		this.mark(Number(line.dataset.index));
		this.choose(this.current);
	}
}
List.made = 0;
