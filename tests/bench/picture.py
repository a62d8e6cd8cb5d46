# SPDX-License-Identifier: Apache-2.0
"""Line charts as SVG: durations on a logarithmic axis, each line with its name at its end.
Panels stand side by side and share the axis. Colours follow the reader's light or dark."""
import math

LEFT, RIGHT, TOP, BOTTOM = 76, 150, 84, 58
PANEL, HEIGHT, BETWEEN = 520, 380, 40
LABEL = 17  # what a line of text needs
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #24292f }
.title { font-size: 17px; font-weight: 600 }
.note { fill: #57606a }
.paper { fill: #ffffff }
.grid { stroke: #d8dee4; stroke-width: 1 }
.axis { stroke: #57606a; stroke-width: 1.2 }
.mark { stroke: #8c959f; stroke-width: 1; stroke-dasharray: 2 4 }
.over { stroke: #ffffff; stroke-width: 4; paint-order: stroke; stroke-linejoin: round }
.line { fill: none; stroke-width: 2.4; stroke-linejoin: round }
.thin { stroke-dasharray: 7 4; stroke-width: 2 }
.lead { stroke-width: 1; opacity: .55 }
"""


def duration(seconds):
    for limit, factor, unit in ((1e-3, 1e6, "us"), (1, 1e3, "ms")):
        if seconds < limit * 0.9995:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:,.3g} s" if seconds < 1000 else f"{seconds:,.0f} s"


class Line:
    """points: pairs of x and seconds. colours: on white and on black."""
    def __init__(self, name, points, colours, thin=False):
        self.name, self.points, self.colours, self.thin = name, points, colours, thin


class Panel:
    """ticks: x and its text, from the least to the greatest."""
    def __init__(self, lines, ticks, caption, logarithmic):
        self.lines = [l for l in lines if l.points]
        self.ticks, self.caption, self.logarithmic = ticks, caption, logarithmic


def _spread(wanted, low, high):
    """Places for texts near those wanted, none upon another."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = [wanted[i] for i in order]
    for _ in range(200):
        for i in range(len(places) - 1):
            short = LABEL - (places[i + 1] - places[i])
            if short > 0:
                places[i] -= short / 2
                places[i + 1] += short / 2
        places = [min(max(p, low), high) for p in places]
    return dict(zip(order, places))


class Chart:
    def __init__(self, title, note, panels, marks=()):
        """marks: seconds, what they mean, and where to say it (start: above the line, end: at
        its end, below); they are drawn across."""
        self.title, self.note, self.panels, self.marks = title, note, panels, marks
        known = [y for p in panels for l in p.lines for _, y in l.points]
        self.low = math.floor(math.log10(min(known)))
        self.high = math.ceil(math.log10(max(known)))
        self.width = LEFT + len(panels) * (PANEL + RIGHT) + (len(panels) - 1) * BETWEEN
        self.height = TOP + HEIGHT + BOTTOM

    def y(self, seconds):
        part = (math.log10(seconds) - self.low) / (self.high - self.low)
        return TOP + HEIGHT * (1 - part)

    def text(self):
        names = {}
        for panel in self.panels:
            for line in panel.lines:
                names.setdefault(line.name, (f"c{len(names)}", line.colours))
        colour = "".join(f".{c} {{ stroke: {both[0]} }}\n"
                         f"text.{c} {{ stroke: none; fill: {both[0]} }}\n"
                         for c, both in names.values())
        dark = "".join(f".{c} {{ stroke: {both[1]} }}\n"
                       f"text.{c} {{ stroke: none; fill: {both[1]} }}\n"
                       for c, both in names.values())
        yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}"'
               f' width="{self.width}" height="{self.height}" role="img">')
        yield f"<title>{self.title}</title>"
        yield (f"<style>{STYLE}{colour}@media (prefers-color-scheme: dark) {{\n"
               "text { fill: #e6edf3 } .note { fill: #9198a1 } .paper { fill: #0d1117 }\n"
               ".grid { stroke: #2a313c } .axis { stroke: #9198a1 } .mark { stroke: #6e7681 }\n"
               ".over { stroke: #0d1117 }\n"
               f"{dark}}}</style>")
        yield f'<rect class="paper" width="{self.width}" height="{self.height}" rx="6"/>'
        yield f'<text class="title" x="{LEFT}" y="30">{self.title}</text>'
        yield f'<text class="note" x="{LEFT}" y="52">{self.note}</text>'
        for i, panel in enumerate(self.panels):
            yield from self._panel(panel, LEFT + i * (PANEL + RIGHT + BETWEEN),
                                   {n: c for n, (c, _) in names.items()})
        yield "</svg>"

    def _grid(self, panel, left, x):
        bottom = TOP + HEIGHT
        for power in range(self.low, self.high + 1):
            at = self.y(10.0 ** power)
            yield f'<path class="grid" d="M{left} {at:.1f}H{left + PANEL}"/>'
            yield (f'<text class="note" text-anchor="end" x="{left - 8}" y="{at + 4:.1f}">'
                   f"{duration(10.0 ** power)}</text>")
        for value, text in panel.ticks:
            yield f'<path class="grid" d="M{x(value):.1f} {TOP}V{bottom}"/>'
            yield (f'<text class="note" text-anchor="middle" x="{x(value):.1f}"'
                   f' y="{bottom + 20}">{text}</text>')
        yield f'<path class="axis" d="M{left} {TOP}V{bottom}H{left + PANEL}" fill="none"/>'
        yield (f'<text text-anchor="middle" x="{left + PANEL / 2}" y="{bottom + 44}">'
               f"{panel.caption}</text>")
        for seconds, _, _ in self.marks:
            yield f'<path class="mark" d="M{left} {self.y(seconds):.1f}H{left + PANEL}"/>'

    def _panel(self, panel, left, classes):
        def x(value):
            ends = panel.ticks[0][0], panel.ticks[-1][0]
            if panel.logarithmic:
                value, ends = math.log10(value), [math.log10(e) for e in ends]
            return left + PANEL * (value - ends[0]) / (ends[1] - ends[0])

        yield from self._grid(panel, left, x)
        places = _spread([self.y(l.points[-1][1]) for l in panel.lines], TOP, TOP + HEIGHT)
        for i, line in enumerate(panel.lines):
            dots = [(x(a), self.y(b)) for a, b in line.points]
            kind, (end, last) = classes[line.name], dots[-1]
            path = "L".join(f"{a:.1f} {b:.1f}" for a, b in dots)
            yield f'<path class="line {"thin " if line.thin else ""}{kind}" d="M{path}"/>'
            for a, b in dots:
                yield f'<circle class="{kind}" cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="none"/>'
            yield (f'<path class="lead {kind}" d="M{end + 5:.1f} {last:.1f}'
                   f'L{left + PANEL + 12} {places[i]:.1f}"/>')
            yield (f'<text class="{kind}" x="{left + PANEL + 16}" y="{places[i] + 4:.1f}">'
                   f"{line.name}</text>")
        for seconds, meaning, side in self.marks:
            beside = self.y(seconds) + (-6 if side == "start" else 16)
            yield (f'<text class="note over" text-anchor="{side}"'
                   f' x="{left + 8 if side == "start" else left + PANEL - 8}"'
                   f' y="{beside:.1f}">{meaning}</text>')

    def save(self, path):
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(self.text()) + "\n")
