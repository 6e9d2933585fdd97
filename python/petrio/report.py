"""What a run gives."""

from __future__ import annotations

import functools
import html as _html
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import _petrio
from .scenario import Scenario, ScenarioLike


class Figure(float):
    """A figure of a report: a number with its unit, and half its confidence interval where there were replications."""

    __slots__ = ("half_width", "unit")

    unit: str
    half_width: float | None

    def __new__(cls, value: float, unit: str, half_width: float | None = None) -> Figure:
        figure = super().__new__(cls, value)
        figure.unit, figure.half_width = unit, half_width
        return figure

    def __reduce__(self):
        return (Figure, (float(self), self.unit, self.half_width))

    def __repr__(self) -> str:
        of = "" if self.half_width is None else f" ± {self.half_width:.4g}"
        return f"{float(self):.6g}{of} {self.unit}"


class Page:
    """What can show itself as text, data and page."""

    text: str
    html: str

    @functools.cached_property
    def data(self) -> dict[str, Any]:
        """Everything, as ``--json`` writes it."""
        return json.loads(self._inside.json)

    def write_html(self, path: str | os.PathLike[str]) -> None:
        """Writes the page: one file, with its plots."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # A page of its own, with its own style and scripts: in a frame, so that neither meets the notebook's.
        return f'<iframe srcdoc="{_html.escape(self.html, quote=True)}" style="width:100%;height:640px;border:0"></iframe>'

    def __str__(self) -> str:
        return self.text


class Report(Page):
    """What one run gives, or the mean of several replications.

    Figures of all requests or operations are attributes; ``report["fsync.p99-latency"]`` has those of one kind, by the names of
    ``petrio compare --measure``.
    """

    def __init__(self, inside: _petrio.Report) -> None:
        self._inside = inside

    def __getitem__(self, name: str) -> Figure:
        """A figure by its name, such as ``"fsync.p99-latency"``.

        Raises:
            PetrioError: no figure has that name.
            KeyError: this report doesn't have it.
        """
        value = self._inside.measure(name)
        if value is None:
            raise KeyError(f"this report has no {name}")
        return Figure(value, self._inside.unit(name), self._inside.half_width(name))

    @property
    def throughput(self) -> Figure:
        """Bytes a second."""
        return self["throughput"]

    @property
    def rate(self) -> Figure:
        """Requests or operations a second."""
        return self["rate"]

    @property
    def mean_latency(self) -> Figure:
        """The mean latency, milliseconds."""
        return self["mean-latency"]

    @property
    def p50_latency(self) -> Figure:
        """The median latency, milliseconds."""
        return self["p50-latency"]

    @property
    def p95_latency(self) -> Figure:
        """The latency that 95 in a hundred don't exceed, milliseconds."""
        return self["p95-latency"]

    @property
    def p99_latency(self) -> Figure:
        """The latency that 99 in a hundred don't exceed, milliseconds."""
        return self["p99-latency"]

    @property
    def makespan(self) -> Figure:
        """From the first request that counts to the end of the last, seconds."""
        return self["makespan"]

    @property
    def stages(self) -> _petrio.Table:
        """The stages of the path, a row each: arrivals, utilisation, mean queue, waits (ms) and services (ms)."""
        return self._inside.stages()

    @property
    def series(self) -> _petrio.Table:
        """Throughput and latency over time, a row an interval."""
        return self._inside.series()

    @property
    def bottleneck(self) -> dict[str, Any] | None:
        """What limits it, and what would change it, where that was asked."""
        return self.data.get("bottleneck")

    @property
    def warnings(self) -> list[str]:
        """What should be known before the figures are trusted."""
        return [warning["text"] if isinstance(warning, dict) else warning for warning in self.data.get("warnings", [])]

    @property
    def own_calls(self) -> tuple[int, float]:
        """How often Python was asked to decide in the run (:mod:`petrio.policies`), and for how many seconds in all."""
        return self._inside.own_calls

    @property
    def text(self) -> str:
        """As the command prints it, and what decisions of Python's own cost."""
        calls, seconds = self.own_calls
        cost = f"  Python      {calls:,} calls in {seconds:.3g} s, {seconds / calls * 1e6:.2f} µs each\n" if calls else ""
        return self._inside.text + cost

    @property
    def html(self) -> str:
        """As ``--html`` writes it."""
        return self._inside.html

    def write_json(self, path: str | os.PathLike[str]) -> None:
        """Writes what ``--json`` writes: ``petrio compare`` takes it."""
        Path(path).write_text(self._inside.json + "\n", encoding="utf-8")

    def plot(self, figure: Any = None) -> Any:
        """Latency, where the time goes, how busy stages are, and throughput over time, with matplotlib; its figure."""
        from .plots import plot_report

        return plot_report(self, figure)

    def __reduce__(self):
        return (Report, (self._inside,))

    def __repr__(self) -> str:
        p99 = self._inside.measure("p99-latency")
        figures = "" if p99 is None else f": {self.rate!r}, p99 {p99:.4g} ms"
        return f"<petrio.Report {self.data['title']!r}{figures}>"


def run(
    scenario: ScenarioLike,
    *,
    seed: int | None = None,
    replication: int | None = None,
    until: str | None = None,
    what_if: bool = True,
    trace: str | os.PathLike[str] | None = None,
    parquet: str | os.PathLike[str] | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Report:
    """Runs a scenario and reports: throughput, latency, where the time goes, the bottleneck.

    Args:
        scenario: A path, a text, a dict, a builder or a :class:`Scenario`.
        seed: Where random numbers begin; left out, the scenario's.
        replication: The one of this number alone, from 0, as one of several would be.
        until: End at this model time, such as ``"10 s"``.
        what_if: Whether to ask what would change it, which takes several further runs.
        trace: Write every request or operation there as a trace; the format follows the extension.
        parquet: Write a row for each there.
        progress: Told how many requests are done and the model time in seconds; what it raises ends the run.

    Other threads run meanwhile, and Ctrl-C ends it.

    Raises:
        ScenarioError: where it is wrong.
        RunError: where the run fails.
    """
    inside = Scenario(scenario)._inside
    return Report(_petrio.run(inside, seed, replication, until, what_if, trace, parquet, progress))
