"""petrio predicts how a storage system will perform before it is built, bought or changed.

::

    import petrio

    report = petrio.run("examples/mail-server.toml")
    print(report)                       # as the command prints it
    report.p99_latency                  # 14.2 ms
    report                              # in a notebook: the page, with its plots

    petrio.compare("old.toml", "new.toml")
    petrio.sweep("files.toml", {"disk.d.count": range(1, 9)}).to_pandas()
    petrio.load("server.toml", metric="p99", limit="20 ms")
    petrio.explain("server.toml")
"""

from __future__ import annotations

import importlib
from typing import Any

from ._petrio import PetrioError, RunError, ScenarioError, Table, version
from .data import catalogue, part, schema, trace
from .engine import Completion, Engine, Process
from .report import Figure, Report, run
from .scenario import Scenario
from .studies import Findings, compare, explain, fit, load, loss
from .sweeps import RayExecutor, Sweep, sweep
from .units import *  # noqa: F403
from .units import __all__ as _units

__version__ = version()

__all__ = [
    "Completion", "Engine", "Figure", "Findings", "PetrioError", "Process", "RayExecutor", "Report", "RunError", "Scenario",
    "ScenarioError", "Sweep", "Table", "catalogue", "compare", "explain", "fit", "load", "loss", "part", "parts", "policies", "run", "schema",
    "search", "sweep", "trace", *_units,
]

#: What is imported when somebody asks for it: builders of every part are many, and a search needs Optuna.
_LATER = {"parts": ("parts", None), "policies": ("policies", None), "search": ("searches", "search")}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'petrio' has no attribute {name!r}")
    module, attribute = _LATER[name]
    found = importlib.import_module(f".{module}", __name__)
    found = getattr(found, attribute) if attribute else found
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
