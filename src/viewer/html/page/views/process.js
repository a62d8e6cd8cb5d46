// SPDX-License-Identifier: Apache-2.0
// process.js - the process as the kernel sees it, the program and its build, and how the snapshot was taken.

import { make } from "../dom.js";
import { factsElements } from "../facts.js";

const PROCESS = {
	pid: "process id",
	ns_pid: "id in its namespace",
	ppid: "parent",
	exe: "executable",
	exe_deleted: "deleted since",
	build_id: "GNU build id",
	go_build_id: "Go build id",
	debug_file: "debug information",
	debug_unreadable: "no debug information",
	args: "arguments",
	cwd: "working directory",
	uid: "user id",
	gid: "group id",
	started_at: "started",
	rss_bytes: "resident memory",
	cgroup: "control group",
	limits: "limits",
	files: "open files",
	mappings: "memory mappings",
};
const GO = { version_source: "version is from", settings: "build settings", images: "files with its code" };
const SNAPSHOT = {
	taken_at: "taken",
	arch: "architecture",
	source: "read from",
	pause_ns: "stopped for",
	pause: "parts of that",
	layout: "layout from",
};
const TRIGGER = { kind: "because of", measured: "what was measured" };
const PARTS_OF_HEAD = [
	["process", "Process", PROCESS],
	["go", "Go", GO],
	["snapshot", "Snapshot", SNAPSHOT],
	["trigger", "Why it was taken", TRIGGER],
	["verification", "Verification", {}],
	["end", "Document", {}],
];

export function processView(model) {
	const there = PARTS_OF_HEAD.filter(([name]) => typeof model.head[name] === "object" && model.head[name] !== null);
	return {
		element: make(
			"div",
			{ class: "scroll facts", tabindex: 0, role: "region", "aria-label": "Process" },
			there.map(([name, title, called]) => [
				make("h2", {}, title),
				factsElements(model, model.head[name], called),
			]),
			there.length === 0 && make("p", { class: "quiet" }, "The snapshot says nothing of the process."),
		),
	};
}
