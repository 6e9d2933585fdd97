"""Many runs and what they say: which is better, how much load, what would change it; and what data are like."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _petrio
from .report import Page
from .scenario import Scenario, ScenarioLike


class Findings(Page):
    """What a study found: ``text`` as the command prints it, ``data`` as ``--json`` has it, ``html`` its page."""

    def __init__(self, inside: _petrio.Answer) -> None:
        self._inside = inside

    @property
    def text(self) -> str:
        """As the command prints it."""
        return self._inside.text

    @property
    def html(self) -> str:
        """As ``--html`` writes it."""
        return self._inside.html

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.data[name]
        except KeyError:
            known = ", ".join(self.data)
            raise AttributeError(f"there is no {name}; it has {known}") from None

    def __repr__(self) -> str:
        return f"<petrio.Findings: {', '.join(self.data)}>"


def compare(
    *candidates: ScenarioLike,
    named: Mapping[str, ScenarioLike] | None = None,
    seed: int | None = None,
    replications: int | None = None,
    precision: float | None = None,
    confidence: float | None = None,
    relevant: float | None = None,
    measure: str | None = None,
) -> Findings:
    """Which of several scenarios is better, by how much, how sure that is, and why: ``petrio compare``.

    ``compare(old, new)`` or ``compare(named={"two disks": a, "an SSD": b})``; random numbers are common to all. Precision, confidence
    and relevant are parts, 0 to 1.
    """
    all_of = [(_name(scenario), scenario) for scenario in map(Scenario, candidates)]
    all_of += [(name, Scenario(scenario)) for name, scenario in (named or {}).items()]
    inside = [(name, scenario._inside) for name, scenario in all_of]
    return Findings(_petrio.compare(inside, seed, replications, precision, confidence, relevant, measure))


def _name(scenario: Scenario) -> str:
    return "@".join(filter(None, [scenario.path.name, ",".join(scenario.settings)]))


def load(
    scenario: ScenarioLike,
    *,
    metric: str = "p99-latency",
    limit: str | None = None,
    over: Sequence[str] = (),
    runs: int = 15,
    seed: int | None = None,
) -> Findings:
    """How much load a System bears: the highest below a limit, the knee, what bounds it: ``petrio load``.

    ``limit`` is a text with its unit, such as ``"20 ms"``; ``over`` names the keys that make the load, left out those of the workloads.
    """
    return Findings(_petrio.load(Scenario(scenario)._inside, metric, limit, list(over), runs, seed))


def loss(
    scenario: ScenarioLike,
    *,
    years: float = 1.0,
    age: float = 0.0,
    scrubbed_every: float | None = None,
    precision: float = 0.05,
    replications: int = 3,
    changes: bool = True,
    seed: int | None = None,
) -> Findings:
    """How likely it is that data are lost, for how long it hangs by a thread, and what would change that: ``petrio loss``.

    Args:
        scenario: A System whose drives say how long they live (``drive.reliability``).
        years: Within how many years.
        age: How old the drives are at the beginning, seconds.
        scrubbed_every: All sectors are read and repaired every so many seconds; left out, never.
        precision: Years are drawn until half the interval is this part of the chance.
        replications: Runs with members that fail, by which it is measured how long their places are filled.
        changes: Whether it is asked what a spare, a level, a smaller drive would change.
        seed: Where random numbers begin; left out, the scenario's.
    """
    return Findings(_petrio.loss(Scenario(scenario)._inside, years, age, scrubbed_every, precision, replications, changes, seed))


def explain(scenario: ScenarioLike, *, replications: int = 5, seed: int | None = None) -> Findings:
    """What each change would buy, ranked with intervals, and where the time goes now: ``petrio explain``."""
    return Findings(_petrio.explain(Scenario(scenario)._inside, replications, seed))


def fit(values: Sequence[float] | None = None, *, trace: str | os.PathLike[str] | None = None, measure: str | None = None, unit: str = "none") -> dict[str, Any]:
    """The distribution that fits numbers, or a measure of a trace, best: ``petrio fit``.

    Args:
        values: Numbers; whatever iterates, a pandas or Polars column among them.
        trace: A trace instead, in any format.
        measure: What is measured in it, such as ``"interarrival-time"``.
        unit: What the numbers are in: ``"none"``, ``"bytes"`` or ``"seconds"``.

    Returns:
        What ``--json`` has: every family tried, the chosen one with intervals; ``toml`` is the text to paste into a scenario.
    """
    if (values is None) == (trace is None):
        raise TypeError("fit() takes either values or a trace")
    text = None if values is None else "".join(f"{float(value)!r}\n" for value in values)
    toml, found = _petrio.fit(text, None if trace is None else Path(trace), measure, unit)
    return {**json.loads(found), "toml": toml}
