// SPDX-License-Identifier: Apache-2.0
// source.js - where the data comes from: here, the page itself, whose blocks block.c has written. All that
// is asked for may take a while. Another source with the same functions can take its place, such as one that
// asks a server. Knows how data is packed, and not what it means.

const BLOCKS_KEPT = 16; // of a kind; each takes some megabytes

async function unpack(element) {
	const packed = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
	const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
	return JSON.parse(await new Response(plain).text());
}

// Elements, each behind its number.
function byNumber(flat) {
	const elements = new Map();
	for (let i = 0; i < flat.length; i += 2) elements.set(flat[i], flat[i + 1]);
	return elements;
}

// The numbered elements of one kind, in blocks.
class Blocks {
	constructor(kind) {
		this.blocks = Array.from(document.querySelectorAll(`script[data-kind=${kind}]`), (element) => ({
			element,
			first: Number(element.dataset.first),
			last: Number(element.dataset.last),
		}));
		this.unpacked = new Map();
	}

	async elementsOf(block) {
		let elements = this.unpacked.get(block);
		this.unpacked.delete(block);
		elements ??= unpack(block.element).then(byNumber);
		this.unpacked.set(block, elements);
		if (this.unpacked.size > BLOCKS_KEPT) this.unpacked.delete(this.unpacked.keys().next().value);
		return elements;
	}

	// undefined: there is none. They are in order.
	blockOf(number) {
		let [low, high] = [0, this.blocks.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.blocks[middle].last < number) low = middle + 1;
			else high = middle;
		}
		return this.blocks[low]?.first <= number ? this.blocks[low] : undefined;
	}

	// null: the page does not have it.
	async get(number) {
		const block = this.blockOf(number);
		return (block && (await this.elementsOf(block)).get(number)) ?? null;
	}

	// [number, element or null] of all of them, as many at once as are in a block.
	async *each(numbers) {
		const byBlock = new Map();
		for (const number of numbers) {
			const block = this.blockOf(number);
			if (byBlock.has(block)) byBlock.get(block).push(number);
			else byBlock.set(block, [number]);
		}
		for (const [block, inside] of byBlock) {
			const elements = block && (await this.elementsOf(block));
			yield inside.map((number) => [number, elements?.get(number) ?? null]);
		}
	}

	async all() {
		const maps = await Promise.all(this.blocks.map((block) => this.elementsOf(block)));
		return maps.flatMap((elements) => [...elements.values()]);
	}
}

export class EmbeddedSource {
	constructor() {
		this.goroutines = new Blocks("goroutines");
		this.objects = new Blocks("objects");
		this.globalVariables = new Blocks("globals");
	}

	// What every view needs: the small members of the document, texts by their numbers, columns of rows.
	async start() {
		const [[head], texts, columns] = await Promise.all(
			["head", "texts", "rows"].map((kind) => unpack(document.querySelector(`script[data-kind=${kind}]`))),
		);
		return { head, texts: [undefined, ...texts], columns };
	}

	goroutine(row) {
		return this.goroutines.get(row);
	}

	goroutinesOf(rows) {
		return this.goroutines.each(rows);
	}

	object(number) {
		return this.objects.get(number);
	}

	objectsOf(numbers) {
		return this.objects.each(numbers);
	}

	globals() {
		return this.globalVariables.all();
	}
}
