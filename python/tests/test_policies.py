"""Decisions in Python: held against petrio's own that decide the same."""

import signal
import subprocess
import sys
import time

import pytest

import petrio
from petrio import policies
from conftest import EXAMPLES
from test_engines import FILES


class Writer(policies.Program):
    """Appends and makes durable, so often."""

    def __init__(self, records=20):
        self.left, self.at, self.steps, self.took = records, 0, iter(()), []

    def next(self, now):
        step = next(self.steps, None)
        if step is None and self.left:
            self.left -= 1
            at, self.at = self.at, self.at + 4096
            made = [] if at else [policies.Operation("create", "log")]
            self.steps = iter([*made, policies.Operation("write", "log", offset=at, length=4096), policies.Operation("fsync", "log"), 0.01])
            step = next(self.steps)
        return step

    def completed(self, bytes, took, now):
        self.took.append(took)


def test_a_program_in_python_does_what_a_script_does():
    script = "; ".join(["create log"] + [f"write log {at * 4} KiB 4 KiB; fsync log; think 10 ms" for at in range(20)])
    mounted = petrio.Scenario(FILES).set("fs.data.just_mounted", True)
    expected = petrio.run(mounted.set("workload.w.script", script), what_if=False)
    writer = Writer()
    report = petrio.run(policies.programs(FILES, "data", [writer]))
    assert report.makespan == pytest.approx(expected.makespan, rel=0.02)
    assert report["fsync.mean-latency"] == pytest.approx(expected["fsync.mean-latency"], rel=0.02)
    assert writer.left == 20, "what was given isn't used up: runs have copies"
    calls, seconds = report.own_calls
    assert calls >= 61 and seconds > 0 and "µs each" in str(report)


def test_programs_share_files():
    class Reader(policies.Program):
        files = {"table": "8 MiB"}

        def __init__(self):
            self.left = 10

        def next(self, now):
            self.left -= 1
            return policies.Operation("read", "table", offset=self.left * 65536, length=65536) if self.left >= 0 else None

    one = petrio.run(policies.programs(FILES, "data", [Reader()]))
    two = petrio.run(policies.programs(FILES, "data", [Reader(), Reader()]))
    assert two.data["bytes"] == 2 * one.data["bytes"]
    assert two.makespan < 1.9 * one.makespan, "what one has read the other finds in memory"


class First(policies.Order):
    def __init__(self):
        self.waiting = []

    def add(self, request):
        self.waiting.append(request)

    def next(self, now):
        return self.waiting.pop(0)


class Nearest(First):
    head = 0

    def next(self, now):
        nearest = min(self.waiting, key=lambda request: abs(request.offset - self.head))
        self.waiting.remove(nearest)
        self.head = nearest.offset + nearest.length
        return nearest


#: The device is given one request at a time, so that the queue decides.
READERS = FILES.replace('on = "d"\n[workload', 'on = "d"\nqueue_depth = 1\n[workload').replace('kind = "script"', 'kind = "files"\noperation = "read"\npattern = "random"\nprocesses = 12\nfile_size = "64 MiB"\nrecord = "4 KiB"\noperations = 30').replace(
    'script = "file table 1 MiB; read table 0 4 KiB"\n', ""
)


def test_an_order_in_python_is_a_scheduler():
    readers = petrio.Scenario(READERS)
    kernels = petrio.run(readers.set("fs.data.scheduler", "noop"), what_if=False)
    first = petrio.run(policies.order(readers, "data", First), what_if=False)
    nearest = petrio.run(policies.order(readers, "data", Nearest), what_if=False)
    assert first.makespan == pytest.approx(kernels.makespan, rel=0.03)
    assert nearest.makespan < first.makespan
    assert nearest.own_calls[0] >= 2 * 360


#: 48 MiB of a table, read in order again and again, by a host with less memory than that.
ROUNDS = FILES.replace('kernel = "linux-2.6.24"', 'kernel = "linux-6.12"\nmemory = "32 MiB"').replace(
    'script = "file table 1 MiB; read table 0 4 KiB"',
    'script = "file table 48 MiB; ' + "; ".join(f"read table {at % 48 * 1024} KiB 1 MiB" for at in range(48 * 4)) + '"',
)


class LeastRecent(policies.Pages):
    """The page that hasn't been used for longest, as dicts are in order."""

    def __init__(self):
        self.order = {}

    def came(self, page):
        self.order[page] = None

    def used(self, page):
        del self.order[page]
        self.order[page] = None

    def gone(self, page):
        del self.order[page]

    def victim(self):
        return next(iter(self.order), None)


class MostRecent(LeastRecent):
    """The page that was used last, but for the few that are about to be used."""

    def victim(self):
        newest = reversed(self.order)
        for _ in range(256):
            next(newest, None)
        return next(newest, None)


def test_pages_in_python():
    rounds = petrio.Scenario(ROUNDS)
    least = petrio.run(policies.pages(rounds, "h", LeastRecent), what_if=False)
    most = petrio.run(policies.pages(rounds, "h", MostRecent), what_if=False)
    assert least.own_calls[0] > 4 * 12288, "each page came and went, four times"
    def read(report):
        return sum(purpose["reads"]["bytes"] for device in report.data["traffic"] for purpose in device["purposes"])

    assert read(least) == pytest.approx(4 * 48 * 2**20, rel=0.02), "what is needed next has always just gone"
    assert 48 * 2**20 < read(most) < 0.65 * read(least)
    assert most.makespan < least.makespan


def test_a_page_that_is_not_there_is_no_victim():
    class Gone(LeastRecent):
        def gone(self, page):
            self.last = page

        def victim(self):
            return getattr(self, "last", next(iter(self.order), None))

    with pytest.raises(ValueError, match="hasn't come or is gone"):
        petrio.run(policies.pages(ROUNDS, "h", Gone), what_if=False)
    with pytest.raises(petrio.PetrioError, match="no Linux host"):
        petrio.run(policies.pages(ROUNDS, "none", LeastRecent))


class CutBack(policies.Copies):
    def __init__(self):
        self.events = set()

    def decide(self, event, history, copies, most, now):
        self.events.add(event)
        return "master" if event == "open-for-write" and copies > 1 else None


def test_copies_in_python():
    scenario = petrio.Scenario(EXAMPLES / "copies-of-files.toml")
    [name] = list(scenario.effective()["replication"])
    policy = CutBack()
    report = petrio.run(policies.copies(scenario, name, policy), what_if=False)
    assert report.rate > 0 and "read" in policy.events and report.own_calls[0] > 0


def test_what_raises_is_raised():
    class Wrong(Writer):
        def next(self, now):
            raise ZeroDivisionError("of my own")

    with pytest.raises(ZeroDivisionError, match="of my own"):
        petrio.run(policies.programs(FILES, "data", [Wrong()]))

    class Late(First):
        def next(self, now):
            self.waiting and self.waiting.pop(0)
            return petrio

    with pytest.raises((TypeError, ValueError)):
        petrio.run(policies.order(READERS, "data", Late), what_if=False)
    for step, says in [
        (policies.Operation("think", "log"), "no operation"),
        (policies.Operation("read", "none", length=1), "no file"),
        (-1.0, "0 or more"),
    ]:
        class Says(policies.Program):
            def next(self, now, step=step):
                return step

        with pytest.raises(ValueError, match=says):
            petrio.run(policies.programs(FILES, "data", [Says()]))


def test_what_can_not_be_is_refused(disk, tmp_path):
    with pytest.raises(petrio.ScenarioError, match="no file system with a queue"):
        petrio.run(policies.order(FILES, "none", First))
    with pytest.raises(petrio.ScenarioError, match="no replication"):
        petrio.run(policies.copies(FILES, "none", CutBack()))
    with pytest.raises(petrio.PetrioError, match="one or more"):
        policies.programs(FILES, "data", [])
    own = policies.order(READERS, "data", First)
    for refused in (lambda: petrio.load(own), lambda: petrio.explain(own), lambda: petrio.sweep(own, {"seed": [1, 2]}, out=tmp_path / "x")):
        with pytest.raises(petrio.PetrioError, match="Python's own"):
            refused()


def test_a_call_that_never_returns_ends_with_ctrl_c(tmp_path):
    text = f"""
import petrio
from petrio import policies
class Never(policies.Program):
    def next(self, now):
        print("never", flush=True)
        while True:
            pass
petrio.run(policies.programs({FILES!r}, "data", [Never()]))
"""
    started = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert started.stdout.readline() == "never\n"
    time.sleep(0.3)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=30)
    assert "KeyboardInterrupt" in said
