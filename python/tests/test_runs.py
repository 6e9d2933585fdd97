"""Reports: figures, tables, pages; runs in threads; runs that are broken off."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest

import petrio
from conftest import DISK


def test_figures_have_units_and_are_those_of_the_json(disk):
    report = petrio.run(disk, what_if=False)
    assert report.throughput.unit == "bytes/s" and report.p99_latency.unit == "ms"
    assert report.p50_latency <= report.p95_latency <= report.p99_latency
    assert report.rate == pytest.approx(50, rel=0.15), "one arrives in 20 ms on average"
    assert report.makespan == pytest.approx(400 / report.rate, rel=0.05)
    with pytest.raises(petrio.PetrioError, match="p98"):
        report["p98-latency"]
    with pytest.raises(KeyError):
        report["fsync.p99-latency"]


def test_replications_give_intervals(disk):
    report = petrio.run(disk.set("measure.replications", 4), what_if=False)
    assert 0 < report.mean_latency.half_width < report.mean_latency
    assert "±" in repr(report.mean_latency)


def test_the_same_seed_is_the_same_run(disk):
    assert petrio.run(disk, seed=7, what_if=False).data == petrio.run(disk, seed=7, what_if=False).data
    assert petrio.run(disk, seed=7, what_if=False).data != petrio.run(disk, seed=8, what_if=False).data


def test_tables_are_taken_by_other_libraries(disk):
    report = petrio.run(disk, what_if=False)
    stages = report.stages.to_dict()
    assert len(report.stages) == len(stages["name"]) > 0
    assert any(part and 0 < part < 1 for part in stages["utilisation"])
    pandas, polars, pyarrow, duckdb = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow", "duckdb"))
    assert list(pandas.DataFrame(stages)["name"]) == stages["name"]
    assert polars.DataFrame(report.stages)["name"].to_list() == stages["name"]
    table = pyarrow.table(report.stages)
    assert table.to_pydict() == stages
    stages_of_the_report = table
    assert duckdb.sql("select count(*) from stages_of_the_report").fetchall() == [(len(stages["name"]),)]
    assert pandas.DataFrame.from_arrow(report.stages).shape == (len(stages["name"]), len(stages)) if hasattr(pandas.DataFrame, "from_arrow") else True


def test_a_report_shows_itself(disk, tmp_path):
    report = petrio.run(disk)
    assert "bottleneck" in str(report) and report.bottleneck
    assert report._repr_html_().startswith("<iframe srcdoc=") and "<script>" not in report._repr_html_()
    report.write_html(tmp_path / "report.html")
    report.write_json(tmp_path / "report.json")
    assert "Where the time" in (tmp_path / "report.html").read_text()
    assert pickle.loads(pickle.dumps(report)).data == report.data


def test_plots(disk, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = petrio.run(disk, what_if=False).plot()
    assert len(figure.axes) == 4 and all(axes.has_data() for axes in figure.axes)
    figure.savefig(tmp_path / "report.png")


def test_two_threads_share_nothing_and_run_at_once(disk):
    alone = petrio.run(disk, what_if=False).data
    found = {}

    def work(seed):
        found[seed] = petrio.run(disk, seed=seed, what_if=False).data

    threads = [threading.Thread(target=work, args=(seed,)) for seed in (1, 2, 1)]
    [thread.start() for thread in threads]
    # Python goes on meanwhile: the lock is nobody's.
    assert sum(range(1000)) == 499_500
    [thread.join() for thread in threads]
    assert found[1] == alone and found[2] != alone


def test_progress_is_told_and_may_end_it(disk):
    long = disk.set("workload.w.requests", 200_000)
    told = []

    def enough(done, now):
        told.append((done, now))
        if done > 20_000:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        petrio.run(long, what_if=False, progress=enough)
    assert told == sorted(told) and 20_000 < told[-1][0] < 200_000


def test_ctrl_c_ends_it(tmp_path):
    text = f"import petrio\nprint('begins', flush=True)\npetrio.run({DISK!r}.replace('400', '500_000_000'), what_if=False)\n"
    started = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert started.stdout.readline() == "begins\n"
    time.sleep(0.5)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert "KeyboardInterrupt" in said and started.returncode != 0


def test_a_run_that_fails_says_why(disk):
    with pytest.raises(petrio.PetrioError, match="until"):
        petrio.run(disk, until="5 KiB")


def test_a_run_leaves_traces_that_are_read_again(disk, tmp_path):
    petrio.run(disk, what_if=False, trace=tmp_path / "w.csv", parquet=tmp_path / "w.parquet")
    polars = pytest.importorskip("polars")
    events = polars.DataFrame(petrio.trace(tmp_path / "w.csv"))
    assert events.height == 400 and set(events["direction"].to_list()) == {"read"}
    assert set(events["length"].to_list()) == {4096}
    assert polars.read_parquet(tmp_path / "w.parquet").height == 400
    batches = petrio.trace(tmp_path / "w.csv")
    polars.DataFrame(batches)
    with pytest.raises(petrio.PetrioError, match="already"):
        polars.DataFrame(batches)
    with pytest.raises(petrio.PetrioError, match="no format"):
        petrio.trace(tmp_path / "w.csv", format="word")
    with pytest.raises(petrio.PetrioError):
        petrio.trace(tmp_path / "none.csv")


def test_the_catalogue():
    rows = petrio.catalogue().to_dict()
    assert {"devices", "machines", "kernels", "networks", "arrays", "adapters"} == set(rows["shelf"])
    assert len(set(zip(rows["shelf"], rows["key"]))) == len(rows["key"]) > 100
    assert petrio.part("seagate-cheetah-9lp")["name"]
    with pytest.raises(petrio.PetrioError, match="did you mean"):
        petrio.part("seagate-cheetah-9lb")
