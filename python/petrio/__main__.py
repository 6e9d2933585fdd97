"""``python -m petrio search``: what ``petrio search`` runs."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from . import PetrioError, Scenario, ScenarioError, search
from .searches import REPLICATIONS, RUNS


def priced(text: str) -> tuple[str, dict[str, float]]:
    """``disk.d.model=hp-97560:120,ibm-ultrastar-18es:300`` as a key and its prices."""
    key, equals, prices = text.partition("=")
    try:
        found = {value.strip(): float(price) for value, _, price in (each.rpartition(":") for each in prices.split(","))}
    except ValueError:
        found = {}
    if not equals or not found or "" in found:
        raise argparse.ArgumentTypeError(f'"{text}" has no prices; write PATH=VALUE:PRICE,VALUE:PRICE')
    return key.strip(), found


def varied(text: str) -> tuple[str, str]:
    """``PATH=VALUES``."""
    key, equals, values = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f'"{text}" has no values; write PATH=VALUES')
    return key, values


def main(words: list[str] | None = None) -> int:
    """Runs the command; its exit code."""
    parser = argparse.ArgumentParser(prog="petrio", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    of = commands.add_parser("search", help="the cheapest configuration that keeps its targets", allow_abbrev=False)
    of.add_argument("scenario", type=Path)
    of.add_argument("--vary", type=varied, action="append", required=True, metavar="PATH=VALUES")
    of.add_argument("--target", action="append", required=True, metavar="COMPARISON")
    of.add_argument("--cost", metavar="FORMULA")
    of.add_argument("--price", type=priced, action="append", default=[], metavar="PATH=VALUE:PRICE,…")
    of.add_argument("--where", action="append", default=[], metavar="COMPARISON")
    of.add_argument("--set", action="append", default=[], metavar="PATH=VALUE")
    of.add_argument("--runs", type=int, default=RUNS, metavar="NUMBER")
    of.add_argument("--replications", type=int, default=REPLICATIONS, metavar="NUMBER")
    of.add_argument("--seed", type=int, metavar="NUMBER")
    of.add_argument("--search-seed", type=int, default=0, metavar="NUMBER")
    of.add_argument("--storage", type=Path, metavar="FILE")
    of.add_argument("--json", type=Path, metavar="FILE")
    of.add_argument("--html", type=Path, metavar="FILE")
    of.add_argument("--quiet", "-q", action="store_true")
    asked = parser.parse_args(words)
    shown = sys.stderr.isatty()

    def told(runs: int, most: int, best: float | None) -> None:
        if shown:
            print(f"\r{runs} of at most {most} runs, least cost {'none yet' if best is None else f'{best:,.6g}'}   ", end="", file=sys.stderr, flush=True)

    try:
        scenario = Scenario(asked.scenario)
        for setting in asked.set:
            path, _, value = setting.partition("=")
            scenario = scenario.set(path, value)
        found = search(
            scenario, dict(asked.vary), targets=asked.target, cost=asked.cost, prices=dict(asked.price), where=asked.where, runs=asked.runs,
            replications=asked.replications, seed=asked.search_seed, scenario_seed=asked.seed, storage=asked.storage, progress=told,
        )
        if shown:
            print("\r" + " " * 70 + "\r", end="", file=sys.stderr)
        if asked.json:
            asked.json.write_text(json.dumps(found.data, indent=2) + "\n", encoding="utf-8")
        if asked.html:
            found.write_html(asked.html)
    except ScenarioError as wrong:
        print(wrong, file=sys.stderr)
        return 2
    except (PetrioError, FileNotFoundError, ImportError) as wrong:
        print(f"petrio search: {wrong}", file=sys.stderr)
        return 2
    except OSError as wrong:
        print(f"petrio search: {wrong}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        again = "; the same command goes on from there" if asked.storage else "; with --storage FILE the next would go on from there"
        print(f"\npetrio search: stopped{again}", file=sys.stderr)
        return 130
    if not asked.quiet:
        print(found.text, end="")
    return 0 if found.best else 3


if __name__ == "__main__":
    sys.exit(main())
