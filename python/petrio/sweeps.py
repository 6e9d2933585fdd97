"""Sweeps: keys varied over values, each case run with the same random numbers, here or wherever an executor puts it."""

from __future__ import annotations

import csv
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from pathlib import Path
from typing import Any

from . import _petrio
from .scenario import Scenario, ScenarioLike, as_value
from .studies import Findings

#: A batch takes about so long, seconds: an executor takes some ten milliseconds for each, its messages, thread changes and records among them.
BATCH_S = 2.0
#: So often a batch is sent again whose worker was lost.
TRIES = 3


class Sweep:
    """A sweep's folder: its rows, and what they say."""

    def __init__(self, folder: str | os.PathLike[str], *, found: int = 0, cases: int | None = None, kept: Any = None) -> None:
        self.folder = Path(folder)
        #: Cases that were there before.
        self.found = found
        self.cases = cases
        self._kept = kept

    @property
    def rows(self) -> _petrio.Table:
        """A row a case and replication; pandas, Polars and DuckDB take it."""
        return _petrio.sweep_rows(self.folder)

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows.to_dict())

    def show(self, measure: str | None = None) -> Findings:
        """The best cases, what each key does, which act together: ``petrio sweep show``."""
        return Findings(_petrio.sweep_findings(self.folder, measure))

    def write_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes all rows as CSV."""
        _petrio.sweep_rows(self.folder, Path(path))

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<petrio.Sweep {self.folder}: {len(self)} rows>"


Vary = Mapping[str, Any]


def sweep(
    scenario: ScenarioLike,
    vary: Vary | None = None,
    *,
    cases: Iterable[Mapping[str, Any]] | str | os.PathLike[str] | None = None,
    where: Sequence[str] = (),
    sample: str | None = None,
    points: int = 0,
    seed: int | None = None,
    replications: int | None = None,
    precision: float | None = None,
    measures: Sequence[str] = (),
    out: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    batch: int | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Runs a scenario over many values of its keys: ``petrio sweep``.

    Args:
        scenario: What is run.
        vary: Values by path: a list, or what ``--vary`` takes as text: ``"1..8"``, ``"log(256 MiB, 16 GiB, 7)"``.
        cases: Cases instead, one dict each (or a CSV file whose first line names keys).
        where: What has to be true of a case, such as ``"host.server.count <= host.client.count"``.
        sample: ``"latin-hypercube"``, ``"sobol"``, ``"saltelli"`` (with ``points``) or ``"together"``, instead of a grid.
        seed: Where random numbers begin, the same in all cases.
        replications: How often each case is run; with ``precision``, at most so often.
        precision: Until half the interval of the first measure is at most this part of its mean.
        measures: What is kept besides, such as ``"fsync.p99-latency"``; the first says what is best.
        out: The folder of the results; taken up where it holds this sweep. Left out, one that goes with what is returned.
        executor: Any ``concurrent.futures.Executor``: ``dask.distributed.Client().get_executor()``,
            ``mpi4py.futures.MPIPoolExecutor()``, :class:`petrio.RayExecutor`, a ``ProcessPoolExecutor``. Left out, threads of this process.
        batch: Cases of a task; left out, as many as take about two seconds.
        threads: How many at once, without an executor.
        progress: Told how many cases are done, of how many.

    Scenario and files travel as values, the files once a worker. The rows are the same, byte for byte, wherever they are run, and a sweep
    that was killed goes on where it was.

    Raises:
        ScenarioError: cases that are no scenarios, all of them told before the first is run.
        PetrioError: keys, values, constraints or a folder that make no sense.
    """
    inside = Scenario(scenario)._inside
    kept = None
    if out is None:
        kept = tempfile.TemporaryDirectory(prefix="petrio-sweep-")
        out = Path(kept.name) / "sweep"
    table = None if cases is None else _table(cases, kept := kept or tempfile.TemporaryDirectory(prefix="petrio-sweep-"))
    asked: dict[str, Any] = {
        "cases": table,
        "sample": "table" if table is not None else sample,
        "points": points,
        "constraints": list(where),
        "seed": seed,
        "replications": replications,
        "precision": precision,
        "measures": list(measures),
    }
    varied = [f"{path}={_values(values)}" for path, values in (vary or {}).items()]
    folder = Path(out)
    plan = _petrio.Plan(inside, varied, **asked)
    if executor is None:
        count, found = plan.sweep(folder, threads, progress)
        return Sweep(folder, found=found, cases=count, kept=kept)
    count = plan.check(folder)
    rows = _petrio.KeptRows(plan, folder)
    try:
        _spread(plan, rows, executor, batch, (lambda done: progress(done + rows.found, count)) if progress else None)
    finally:
        rows.close()
    return Sweep(folder, found=rows.found, cases=count, kept=kept)


def _values(values: Any) -> str:
    if isinstance(values, str):
        return values
    if isinstance(values, range):
        values = list(values)
    quoted = [f'"{text}"' if "," in (text := as_value(value)) and not text.startswith(("[", "{", '"')) else text for value in values]
    return ",".join(quoted)


def _table(cases: Iterable[Mapping[str, Any]] | str | os.PathLike[str], kept: tempfile.TemporaryDirectory) -> Path:
    if isinstance(cases, (str, os.PathLike)):
        return Path(cases)
    rows = [dict(case) for case in cases]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    path = Path(kept.name) / "cases.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(keys)
        for row in rows:
            missing = [key for key in keys if key not in row]
            if missing:
                raise _petrio.PetrioError(f"a case has no {missing[0]}: every case has a value for each key")
            writer.writerow(as_value(row[key]) for key in keys)
    return path


#: What the workers of this process have been sent, by its hash: a study with its files, or its runner. The newest is enough.
_known: dict[str, Any] = {}

_Parcel = tuple[str, dict[Path, bytes]]


def _run_batch(digest: str, parcel: _Parcel | None, cases: list[int]) -> list[tuple[int, bytes]] | None:
    """Runs cases in a worker; nothing where it lacks what they need, and has to be sent it."""
    worker = _known.get(digest)
    if worker is None:
        if parcel is None:
            return None
        worker = _petrio.Worker(*parcel)
        _known.clear()
        _known[digest] = worker
    return worker.run(cases)


def _spread(plan: _petrio.Plan, kept: _petrio.KeptRows, executor: Executor, batch: int | None, tell: Callable[[int], None] | None) -> None:
    left = list(kept.left)
    parcel = plan.parcel()
    digest = _digest(parcel)
    done = 0
    # The first is run here: it says how long one takes, and what is wrong with all of them is told without a worker.
    if left and batch is None:
        began = time.perf_counter()
        for case, rows in _petrio.Worker(*parcel).run(left[:1]):
            kept.keep(case, rows)
        took = time.perf_counter() - began
        left, done = left[1:], 1
        workers = getattr(executor, "_max_workers", None) or os.cpu_count() or 1
        batch = max(1, min(int(BATCH_S / max(took, 1e-6)), -(-len(left) // (4 * workers)), 4096))
        if tell:
            tell(done)
    batches = [left[at : at + (batch or 1)] for at in range(0, len(left), batch or 1)][::-1]
    flying: dict[Future, tuple[list[int], int]] = {}

    def send(cases: list[int], tries: int, what: _Parcel | None) -> None:
        flying[executor.submit(_run_batch, digest, what, cases)] = (cases, tries)

    try:
        while batches or flying:
            # As many are on their way as keep workers busy, and no more: what waits here costs nothing there.
            while batches and len(flying) < 64:
                send(batches.pop(), 0, None)
            ready, _ = wait(flying, return_when=FIRST_COMPLETED)
            for future in ready:
                cases, tries = flying.pop(future)
                try:
                    rows = future.result()
                except (_petrio.PetrioError, KeyboardInterrupt):
                    raise
                except Exception as lost:
                    # The worker is gone, not the case; where nobody takes work any more, submit says so.
                    if tries + 1 >= TRIES:
                        raise _petrio.PetrioError(_lost(cases, lost)) from lost
                    try:
                        send(cases, tries + 1, parcel)
                    except Exception as broken:
                        raise _petrio.PetrioError(_lost(cases, broken)) from lost
                    continue
                if rows is None:
                    send(cases, tries, parcel)
                    continue
                for case, of in rows:
                    kept.keep(case, of)
                done += len(cases)
                if tell:
                    tell(done)
    except BaseException:
        for future in flying:
            future.cancel()
        raise


def _lost(cases: list[int], why: BaseException) -> str:
    return (
        f"the executor lost cases {cases[0]} to {cases[-1]} {TRIES} times, or takes no more: {type(why).__name__}: {why}\n"
        " help: what was done before it is kept: the same call with a working executor goes on from there"
    )


def _digest(parcel: _Parcel) -> str:
    digest = hashlib.sha256(parcel[0].encode())
    for path, content in sorted(parcel[1].items()):
        digest.update(os.fspath(path).encode() + b"\0" + len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()


class RayExecutor(Executor):
    """Ray's tasks as an executor; the options are those of ``ray.remote``, such as ``num_cpus``."""

    def __init__(self, **options: Any) -> None:
        import ray

        def call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return function(*args, **kwargs)

        self._call = (ray.remote(**options) if options else ray.remote)(call)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """As of an executor: a future of what ``fn`` gives."""
        return self._call.remote(fn, args, kwargs).future()
