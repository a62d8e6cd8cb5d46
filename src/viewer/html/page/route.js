// SPDX-License-Identifier: Apache-2.0
// route.js - what the address behind # means, and how to get there: a view, #groups; a goroutine, one of its
// frames, a part of a variable there, #g71/f3/req.Header; a group, #group3. Knows no elements.

// Names may have any character, so each is escaped by itself.
function escapedStep(name) {
	return encodeURIComponent(name).replaceAll(".", "%2E");
}

// Anybody may write an address.
function decoded(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

export function goroutineHash(name, frame, path = []) {
	const at = frame === undefined ? "" : `/f${frame}` + (path.length ? "/" + path.map(escapedStep).join(".") : "");
	return `#g${escapedStep(String(name))}${at}`;
}

export function groupHash(id) {
	return `#group${id}`;
}

// Those that a search finds.
export function goroutinesHash(search) {
	return `#goroutines/${escapedStep(search)}`;
}

// { view, search } or { goroutine, frame, path } or { group }, or nothing that can be shown.
export function parseHash(hash) {
	const text = hash.replace(/^#/, "");
	const group = /^group(\d+)$/.exec(text);
	if (group) return { group: Number(group[1]) };
	const goroutine = /^g(\d+(?:(?:@|%40)\d+)?)(?:\/f(\d+)(?:\/(.*))?)?$/.exec(text);
	if (goroutine)
		return {
			goroutine: decoded(goroutine[1]),
			frame: goroutine[2] === undefined ? undefined : Number(goroutine[2]),
			path: goroutine[3] ? goroutine[3].split(".").map(decoded) : [],
		};
	const view = /^([a-z]+)(?:\/(.*))?$/.exec(text);
	return view ? { view: view[1], search: view[2] && decoded(view[2]) } : {};
}

// What is opened within the same goroutine is no step back in history.
export function noteHash(hash) {
	if (location.hash !== hash) history.replaceState(null, "", hash);
}
