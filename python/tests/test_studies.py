"""Studies: each held against the runs that it is made of, or against a formula."""

import math

import pytest

import petrio
from conftest import DISK



def test_compare(disk):
    found = petrio.compare(disk, disk.set("disk.d.model", "hp-97560"), replications=4)
    assert [one["name"] for one in found.contenders] == ["scenario", "scenario@disk.d.model=hp-97560"]
    assert found.order[0] == ["A"] and "seagate" in str(found).lower()
    named = petrio.compare(named={"old": disk.set("disk.d.model", "hp-97560"), "new": disk}, replications=4)
    assert [one["name"] for one in named.contenders] == ["old", "new"] and named.order[0] == ["B"]
    with pytest.raises(petrio.PetrioError, match="two|2"):
        petrio.compare(disk)


def test_load_finds_the_limit_that_runs_keep(disk):
    found = petrio.load(disk, metric="mean", limit="20 ms")
    at = found.highest["factor"]
    assert 1 < at < 4
    for factor, keeps in ((0.9, True), (1.1, False)):
        run = petrio.run(disk.set("workload.w.time_scale", 1 / (at * factor)), what_if=False)
        assert (run.mean_latency <= 20) == keeps
    with pytest.raises(petrio.PetrioError, match="unit|latency|duration"):
        petrio.load(disk, limit="20 KiB")
    with pytest.raises(petrio.PetrioError, match="at least"):
        petrio.load(disk, runs=2)


def test_explain_ranks_what_runs_confirm(disk):
    found = petrio.explain(disk, replications=2)
    best = found.better[0]
    assert best["p99_latency"] if "p99_latency" in best else best
    assert "mechanics" in found.text or "seek" in found.text
    with pytest.raises(AttributeError, match="no nonsense"):
        found.nonsense


LIVES = 20_000.0


def test_loss_is_that_of_the_formula(examples):
    array = petrio.Scenario(f"""
[disk.d]
model = "constant-rate"
count = 5
drive.blocks = "70312500 blocks"
drive.rate = "100 MB/s"
drive.reliability.mean_time_to_failure = "{LIVES:.0f} h"
[raid.r]
level = 5
on = "d*"
replaced_after = "1 ms"
rebuild = {{ rate = "1 MB/s" }}
[workload.w]
kind = "synthetic"
on = "r"
requests = 600
generators = [{{ read_fraction = 1.0, inter_arrival = {{ exponential = {{ mean = "100 ms" }} }}, size = "4 KiB" }}]
""")
    found = petrio.loss(array, changes=False)
    year, hours = 8766.0, 10.0
    expected = 1 - math.exp(-5 / LIVES * year * (1 - math.exp(-4 / LIVES * hours)))
    assert abs(found.loss["chance"] - expected) < 3 * found.loss["half_width"]
    assert found.filled[0]["loaded_s"] == pytest.approx(36_000, rel=0.01)
    assert petrio.loss(array, years=3, changes=False).loss["chance"] > 2 * found.loss["chance"]
    with pytest.raises(petrio.ScenarioError, match="lives"):
        petrio.loss(examples / "raid-5-loses-a-disk.toml")
    with pytest.raises(petrio.PetrioError, match="more than zero"):
        petrio.loss(array, years=0)


def test_fit_finds_the_family():
    import random

    random.seed(1)
    found = petrio.fit([random.expovariate(100) for _ in range(2000)], unit="seconds")
    assert found["values"]["mean"] == pytest.approx(0.01, rel=0.1)
    assert "exponential" in found["toml"]
    with pytest.raises(TypeError):
        petrio.fit()
    with pytest.raises(petrio.PetrioError):
        petrio.fit([])
    with pytest.raises(petrio.PetrioError, match="seconds"):
        petrio.fit([1.0], unit="hours")
