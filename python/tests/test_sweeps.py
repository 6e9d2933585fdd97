"""Sweeps: the same rows wherever they are run; killed and resumed; workers that are lost."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

import petrio
from conftest import DISK, EXAMPLES

VARY = {"disk.d.model": ["seagate-cheetah-9lp", "hp-97560", "ibm-ultrastar-18es"], "workload.w.generators.0.read_fraction": [0, 0.5, 1]}


def contents(folder: Path) -> dict:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def local(disk, tmp_path):
    petrio.sweep(disk, VARY, replications=2, out=tmp_path / "local")
    return contents(tmp_path / "local")


def test_rows_are_those_of_single_runs(disk):
    swept = petrio.sweep(disk, VARY)
    frame = swept.rows.to_dict()
    assert len(swept) == 9 and swept.cases == 9
    for at in range(9):
        alone = disk.set("disk.d.model", frame["disk.d.model"][at]).set(
            "workload.w.generators.0.read_fraction", frame["workload.w.generators.0.read_fraction"][at]
        )
        assert petrio.run(alone, what_if=False).p99_latency == frame["p99-latency"][at]
    shown = swept.show("p99-latency")
    assert "disk.d.model" in str(shown) and "<iframe" in swept._repr_html_()
    with pytest.raises(petrio.PetrioError, match="keeps"):
        swept.show("fsync.p99-latency")


def test_any_executor_gives_the_same_bytes(disk, local, tmp_path):
    with ThreadPoolExecutor(2) as executor:
        petrio.sweep(disk, VARY, replications=2, out=tmp_path / "threads", executor=executor)
    with ProcessPoolExecutor(2) as executor:
        told = []
        petrio.sweep(disk, VARY, replications=2, out=tmp_path / "processes", executor=executor, batch=2, progress=lambda *of: told.append(of))
    assert contents(tmp_path / "threads") == local
    assert contents(tmp_path / "processes") == local
    assert told[-1] == (9, 9) and told == sorted(told)


def test_files_travel_once_a_worker(tmp_path):
    """A trace that workers can't find under its name: they live elsewhere, and are sent it."""
    sent = []

    class Elsewhere(ThreadPoolExecutor):
        def submit(self, fn, /, *args, **kwargs):
            sent.append(args[1] is not None)
            return super().submit(fn, *args, **kwargs)

    scenario = petrio.Scenario(EXAMPLES / "load-on-one-disk.toml").set("measure.max_requests", 300)
    vary = {"disk.d0.scheduler": ["fcfs", "sptf", "look", "c-look", "sstf", "cscan"]}
    with Elsewhere(1) as executor:
        swept = petrio.sweep(scenario, vary, out=tmp_path / "out", executor=executor, batch=1)
    assert len(swept) == 6
    assert 1 <= sum(sent) <= 6 and not sent[0], "who has it isn't sent it again"


def test_a_killed_sweep_goes_on(disk, local, tmp_path):
    text = f"""
import petrio, time
from concurrent.futures import ThreadPoolExecutor
class Slow(ThreadPoolExecutor):
    def submit(self, fn, /, *args, **kwargs):
        def later():
            time.sleep(0.4)
            return fn(*args, **kwargs)
        return super().submit(later)
petrio.sweep({DISK!r}, {VARY!r}, replications=2, out={str(tmp_path / 'out')!r}, executor=Slow(1), batch=1,
    progress=lambda done, of: print(done, flush=True))
"""
    started = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    while int(started.stdout.readline()) < 3:
        pass
    started.send_signal(signal.SIGKILL)
    started.wait()
    swept = petrio.sweep(petrio.Scenario(DISK), VARY, replications=2, out=tmp_path / "out")
    assert swept.found >= 3 and contents(tmp_path / "out") == local


class Losing(ThreadPoolExecutor):
    """Loses some of what it is given."""

    def __init__(self, every: int):
        super().__init__(1)
        self.every, self.count = every, 0

    def submit(self, fn, /, *args, **kwargs):
        self.count += 1
        if self.count % self.every == 0:
            lost = Future()
            lost.set_exception(OSError("the worker is gone"))
            return lost
        return super().submit(fn, *args, **kwargs)


def test_a_lost_workers_cases_run_again(disk, local, tmp_path):
    with Losing(3) as executor:
        petrio.sweep(disk, VARY, replications=2, out=tmp_path / "out", executor=executor, batch=1)
    assert contents(tmp_path / "out") == local


def test_an_executor_that_loses_everything_is_told_and_no_row_is_lost(disk, local, tmp_path):
    with Losing(1) as executor, pytest.raises(petrio.PetrioError, match="lost cases.*the worker is gone"):
        petrio.sweep(disk, VARY, replications=2, out=tmp_path / "out", executor=executor)
    swept = petrio.sweep(disk, VARY, replications=2, out=tmp_path / "out")
    assert swept.found == 1 and contents(tmp_path / "out") == local


def test_what_makes_no_sense_is_told_before_a_worker_is_asked(disk, tmp_path):
    class Nobody(ThreadPoolExecutor):
        def submit(self, *_, **__):
            raise AssertionError("nothing was to be run")

    for vary, where, error, says in [
        ({"disk.d.model": ["none"]}, [], petrio.ScenarioError, "none"),
        ({"disk.d.model": ["hp-97560", "hp-97650"]}, [], petrio.ScenarioError, "hp-97560"),
        ({"disk.d.count": "8..1"}, [], petrio.PetrioError, "8..1|descend|empty|less"),
        ({}, [], petrio.PetrioError, "nothing is varied"),
        ({"disk.d.count": range(1, 4)}, ["disk.d.count > 9"], petrio.PetrioError, "no case is left"),
        ({"disk.d.count": "1..100000", "seed": "1..100000", "workload.w.requests": "1..100000"}, [], petrio.PetrioError, "the most"),
    ]:
        with pytest.raises(error, match=says):
            petrio.sweep(disk, vary, where=where, out=tmp_path / "out", executor=Nobody(1))
    assert not (tmp_path / "out").exists()


def test_another_sweeps_folder_is_left_alone(disk, tmp_path):
    petrio.sweep(disk, {"disk.d.count": [1, 2]}, out=tmp_path / "out")
    before = contents(tmp_path / "out")
    with pytest.raises(petrio.PetrioError, match="another study"):
        petrio.sweep(disk, {"disk.d.count": [1, 3]}, out=tmp_path / "out", executor=ThreadPoolExecutor(1))
    assert contents(tmp_path / "out") == before


def test_cases_as_rows(disk):
    swept = petrio.sweep(disk, cases=[{"disk.d.model": "hp-97560", "seed": 3}, {"disk.d.model": "seagate-cheetah-9lp", "seed": 4}])
    assert swept.rows.to_dict()["disk.d.model"] == ["hp-97560", "seagate-cheetah-9lp"]
    with pytest.raises(petrio.PetrioError, match="has no seed"):
        petrio.sweep(disk, cases=[{"disk.d.model": "hp-97560", "seed": 3}, {"disk.d.model": "hp-97560"}])


def test_a_callback_that_raises_ends_it_and_loses_nothing(disk, tmp_path):
    def enough(done, of):
        if done == 4:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        petrio.sweep(disk, VARY, replications=2, out=tmp_path / "out", progress=enough)
    swept = petrio.sweep(disk, VARY, replications=2, out=tmp_path / "out")
    assert 4 <= swept.found < 9 and len(swept) == 18
