"""Plots with matplotlib, which is imported where it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .report import Report

#: Stages that a plot shows, the busiest.
SHOWN = 12


def plot_report(report: Report, figure: Any = None) -> Any:
    """Where the time goes, how busy stages are, latency, and throughput over time."""
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("plots are matplotlib's: pip install 'petrio[plot]'") from missing
    figure = figure or pyplot.figure(figsize=(10, 7), layout="constrained")
    (time, busy), (latency, over_time) = figure.subplots(2, 2)
    _bars(time, "share of an average request's time (%)", [(share["cause"], share["fraction"] * 100) for share in report.data.get("breakdown", [])])
    stages = report.stages.to_dict()
    named = zip(stages.get("name", []), stages.get("utilisation", []))
    utilised = sorted(((name, part * 100) for name, part in named if part is not None), key=lambda one: -one[1])
    _bars(busy, "stages in use (%)", utilised[:SHOWN])
    quantiles = report.data.get("quantiles", [])
    latency.plot([of["latency_ms"] for of in quantiles], [of["probability"] * 100 for of in quantiles])
    latency.set(xlabel="latency (ms)", ylabel="requests within it (%)", xscale="log" if quantiles else "linear", ylim=(0, 100))
    series = report.series.to_dict()
    if "bytes" in series:
        length = report.data["series"]["interval_s"]
        over_time.plot(series["begin_s"], [(moved or 0) / 1e6 / length for moved in series["bytes"]], drawstyle="steps-post")
    over_time.set(xlabel="model time (s)", ylabel="throughput (MB/s)", ylim=(0, None))
    figure.suptitle(report.data["title"])
    return figure


def _bars(axes: Any, title: str, bars: list[tuple[str, float]]) -> None:
    bars = bars[::-1]
    axes.barh([name for name, _ in bars], [value for _, value in bars])
    axes.set(title=title, xlim=(0, 100))
