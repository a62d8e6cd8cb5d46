// SPDX-License-Identifier: Apache-2.0
// keys.js - keys that work everywhere but where text is typed.

// Among what can be opened in a stack; without one in focus, the first.
function stepAmong(steps, by) {
	const all = Array.from(steps.querySelectorAll("[data-step]")).filter((element) => element.checkVisibility());
	const index = all.indexOf(document.activeElement);
	all[Math.max(0, Math.min(all.length - 1, index + by))]?.focus();
}

function isTyping(target) {
	return target.matches("input[type=search], select, textarea");
}

// app: { view(), list(), stack(), search(), help(), show(number) }
export function listenToKeys(app) {
	const move = (by) => {
		const steps = document.activeElement?.closest("[data-steps]");
		if (steps) stepAmong(steps, by);
		else app.list()?.go(by);
	};
	const actions = {
		j: () => move(1),
		k: () => move(-1),
		"/": () => app.search(),
		"?": () => app.help(),
		s: () => app.stack() && stepAmong(app.stack(), 1),
		l: () => app.list()?.element.focus(),
	};
	document.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
		if (isTyping(event.target)) {
			if (event.key === "Escape" || (event.key === "Enter" && event.target.type === "search"))
				app.list()?.element.focus();
			return;
		}
		const action = actions[event.key] ?? (/^\d$/.test(event.key) ? () => app.show(Number(event.key) || 10) : null);
		if (!action) return;
		action();
		event.preventDefault();
	});
}
