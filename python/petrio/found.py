"""What a search found: as text, data, page and plot."""

from __future__ import annotations

import html as _html
import math
import os
from typing import Any

from .questions import Candidate, Question, Target
from .report import Page

#: Runners-up that are told: those nearest to the targets of what costs no more than a tenth more.
SHOWN = 8


class Search(Page):
    """What a search found."""

    def __init__(self, question: Question, candidates: list[Candidate], runs: int, all_tried: bool) -> None:
        self._question, self.runs = question, runs
        #: Whether every configuration that is cheaper than the best was run.
        self.all_tried = all_tried
        #: All that were run, the cheapest first; of those that cost the same, the one that keeps its targets best.
        self.candidates = sorted(candidates, key=lambda one: (one.cost, question.excess(one), one.case))

    @property
    def best(self) -> Candidate | None:
        """The cheapest that keeps the targets; nothing where none was found."""
        return next((one for one in self.candidates if one.holds), None)

    @property
    def pareto(self) -> list[Candidate]:
        """Those of which no other is both cheaper and better in the first target, the cheapest first."""
        target, front = self._question.targets[0], []
        for one in self.candidates:
            value = one.mean(0)
            if value is not None and (not front or target.excess(value) < target.excess(front[-1].mean(0))):
                front.append(one)
        return front

    @property
    def command(self) -> str | None:
        """The command that runs the best."""
        return self._question.command(self.best) if self.best else None

    @property
    def data(self) -> dict[str, Any]:
        """Everything, as ``--json`` writes it."""
        targets = self._question.targets
        shown = lambda one: {
            "values": one.values,
            "cost": one.cost,
            "holds": one.holds,
            "replications": len(one.figures),
            **{target.measure: one.mean(at) for at, target in enumerate(targets)},
            **({"impossible": one.impossible} if one.impossible else {}),
        }
        return {
            "scenario": os.fspath(self._question.scenario.path),
            "targets": [target.text for target in targets],
            "configurations": len(self._question.costs),
            "runs": self.runs,
            "all_cheaper_tried": self.all_tried,
            "best": shown(self.best) if self.best else None,
            "pareto": [shown(one) for one in self.pareto],
            "candidates": [shown(one) for one in self.candidates],
        }

    def why(self, one: Candidate) -> str:
        """Why a candidate lost."""
        if one.impossible:
            return one.impossible
        misses = [
            f"{target.measure} {one.mean(at):.4g} {_unit(target)}, {_beyond(target, one.mean(at))} the limit"
            for at, target in enumerate(self._question.targets)
            if one.mean(at) is not None and target.excess(one.mean(at)) > 0
        ]
        if misses:
            return "; ".join(misses)
        if not one.holds:
            return "too near to a limit to be sure of it"
        return f"costs {one.cost - self.best.cost:,.6g} more" if self.best and one is not self.best else "the best"

    @property
    def text(self) -> str:
        """In words: the best, what keeps it from being cheaper, the front."""
        question, best = self._question, self.best
        lines = [f"Least cost that keeps {' and '.join(target.text for target in question.targets)}", ""]
        if best is None:
            nearest = min((one for one in self.candidates if one.figures), key=lambda one: question.excess(one), default=None)
            lines.append(f"  none was found in {self.runs} runs of {len(question.costs):,} configurations")
            if nearest:
                lines.append(f"  the nearest: {_settings(nearest)} at {nearest.cost:,.6g}: {self.why(nearest)}")
        else:
            lines.append(f"  {best.cost:,.6g}   {_settings(best)}")
            for at, target in enumerate(question.targets):
                lines.append(f"    {target.measure} {best.mean(at):.4g} ± {best.half_width(at):.2g} {_unit(target)} in {len(best.figures)} replications")
            if not question.is_sure(best):
                lines.append("    so near to a limit that its interval holds it: replicate it before you buy it")
            tried = "every cheaper one was run and doesn't keep them" if self.all_tried else "cheaper ones were left that nobody ran"
            lines += [f"    found in {self.runs} runs of {len(question.costs):,} configurations; {tried}", f"    {self.command}", ""]
            losers = [one for one in self.candidates if one.cost <= best.cost * 1.1 and one is not best and one.figures]
            if losers:
                lines.append("  runners-up")
                nearest = sorted(losers, key=lambda one: abs(question.excess(one)))[:SHOWN]
                lines += [f"    {one.cost:>10,.6g}   {_settings(one)}: {self.why(one)}" for one in sorted(nearest, key=lambda one: one.cost)]
            lines += ["", f"  cost against {question.targets[0].measure}: nothing is better in both"]
            lines += [f"    {one.cost:>10,.6g}   {one.mean(0):>10.4g} {_unit(question.targets[0])}   {_settings(one)}" for one in self.pareto]
        return "\n".join(lines) + "\n"

    @property
    def html(self) -> str:
        """A page with the front as a plot and every candidate in a table."""
        return _page(self)

    def plot(self, axes: Any = None) -> Any:
        """Cost against the first target's measure, with matplotlib; its axes."""
        from matplotlib import pyplot

        axes = axes or pyplot.figure(layout="constrained").subplots()
        target = self._question.targets[0]
        for holds, colour in ((True, "tab:blue"), (False, "tab:orange")):
            shown = [one for one in self.candidates if bool(one.holds) is holds and one.mean(0) is not None]
            axes.scatter([one.cost for one in shown], [one.mean(0) for one in shown], color=colour, label="keeps the targets" if holds else "doesn't")
        axes.step([one.cost for one in self.pareto], [one.mean(0) for one in self.pareto], where="post", color="0.6", linewidth=1)
        axes.axhline(target.limit, color="0.3", linestyle="--", linewidth=1)
        axes.set(xlabel="cost", ylabel=f"{target.measure} ({_unit(target)})", yscale="log")
        axes.legend()
        return axes

    def __repr__(self) -> str:
        return f"<petrio.Search: {self.runs} runs, best {self.best.cost:,.6g}>" if self.best else f"<petrio.Search: {self.runs} runs, none keeps the targets>"


def _beyond(target: Target, value: float) -> str:
    """How far a value lies beyond a limit."""
    factor = math.exp(target.excess(value))
    if factor >= 2:
        return f"{factor:.2g} times" if target.at_most else f"a {factor:.2g}th of"
    return f"{(factor - 1) * 100:.2g} % {'above' if target.at_most else 'below'}"


def _settings(one: Candidate) -> str:
    return ", ".join(f"{key}={value}" for key, value in one.values.items())


def _unit(target: Target) -> str:
    return "a second" if target.unit == "1/s" else target.unit


def _page(found: Search) -> str:
    target = found._question.targets[0]
    shown = [one for one in found.candidates if one.mean(0) is not None]
    width, height, edge = 720, 360, 60
    costs, values = [one.cost for one in shown] or [0, 1], [math.log(one.mean(0)) for one in shown] or [0, 1]
    low, high, under, over = min(costs), max(costs), min([*values, math.log(target.limit)]), max([*values, math.log(target.limit)])
    x = lambda cost: edge + (cost - low) / ((high - low) or 1) * (width - 2 * edge)
    y = lambda value: height - edge - (math.log(value) - under) / ((over - under) or 1) * (height - 2 * edge)
    dots = "".join(
        f'<circle cx="{x(one.cost):.1f}" cy="{y(one.mean(0)):.1f}" r="4" class="{"holds" if one.holds else "fails"}"><title>{_html.escape(_settings(one))}: {one.cost:,.6g}, {one.mean(0):.4g}</title></circle>'
        for one in shown
    )
    front = " ".join(f"{x(one.cost):.1f},{y(one.mean(0)):.1f}" for one in found.pareto)
    rows = "".join(
        f"<tr><td>{one.cost:,.6g}<td>{_html.escape(_settings(one))}<td>{'' if one.mean(0) is None else f'{one.mean(0):.4g}'}<td>{len(one.figures)}<td>{_html.escape(found.why(one))}"
        for one in found.candidates
    )
    unit = _unit(target)
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{_html.escape(found._question.scenario.path.name)}: the cheapest that keeps its targets</title>
<style>:root{{color-scheme:light dark}}body{{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}svg{{width:100%;height:auto}}
.holds{{fill:#2a78d6}}.fails{{fill:none;stroke:#d9822b;stroke-width:1.5}}table{{border-collapse:collapse;width:100%}}td,th{{text-align:left;padding:.2rem .6rem;border-bottom:1px solid #8884}}pre{{white-space:pre-wrap}}text{{font-size:12px;fill:currentColor}}</style>
<h1>The cheapest that keeps its targets</h1><pre>{_html.escape(found.text)}</pre>
<h2>Cost against {_html.escape(target.measure)}</h2>
<svg viewBox="0 0 {width} {height}" role="img" aria-label="Cost against {_html.escape(target.measure)}: {len(shown)} configurations">
<line x1="{edge}" x2="{width - edge}" y1="{y(target.limit):.1f}" y2="{y(target.limit):.1f}" stroke="currentColor" stroke-dasharray="4 3"/><text x="{width - edge}" y="{y(target.limit) - 6:.1f}" text-anchor="end">{_html.escape(target.text)}</text>
<polyline points="{front}" fill="none" stroke="#8888" stroke-width="1.5"/>{dots}
<text x="{edge}" y="{height - edge + 24}">{low:,.4g}</text><text x="{width - edge}" y="{height - edge + 24}" text-anchor="end">{high:,.4g}</text><text x="{width / 2}" y="{height - 12}" text-anchor="middle">cost</text>
<text x="{edge - 6}" y="{height - edge}" text-anchor="end">{math.exp(under):.3g}</text><text x="{edge - 6}" y="{edge + 4}" text-anchor="end">{math.exp(over):.3g}</text><text x="{edge - 6}" y="{edge - 16}" text-anchor="end">{unit}</text></svg>
<p>Filled: keeps the targets. Rings: doesn't.</p>
<h2>All that were run</h2><table><tr><th>cost<th>configuration<th>{_html.escape(target.measure)} ({unit})<th>runs<th>why not</tr>{rows}</table></html>
"""
