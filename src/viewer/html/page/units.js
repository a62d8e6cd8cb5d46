// SPDX-License-Identifier: Apache-2.0
// units.js - numbers as people read them.

const TIMES = [
	[86400e9, "d"],
	[3600e9, "h"],
	[60e9, "min"],
	[1e9, "s"],
	[1e6, "ms"],
	[1e3, "us"],
	[1, "ns"],
];

export function duration(ns) {
	const [unit, name] = TIMES.find(([size]) => ns >= size) ?? [1, "ns"];
	const value = ns / unit;
	return (value < 10 && unit > 1 ? value.toFixed(1) : Math.floor(value)) + " " + name;
}

export function bytes(n) {
	let value = n;
	for (const unit of ["bytes", "KiB", "MiB", "GiB"]) {
		if (value < 1024)
			return (value < 10 && unit !== "bytes" ? value.toFixed(1) : Math.round(value)) + " " + unit;
		value /= 1024;
	}
	return value.toFixed(1) + " TiB";
}

export function count(n) {
	return Number(n).toLocaleString("en");
}

export function counted(n, one, many = one + "s") {
	return count(n) + " " + (n === 1 ? one : many);
}

// Of a file, what tells it from others.
export function shortFile(file) {
	return file.split("/").slice(-2).join("/");
}
