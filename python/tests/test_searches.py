"""Searches: held against a full sweep; what they say, what they refuse, and that they go on after a kill."""

import json
import signal
import subprocess
import sys

import pytest

import petrio
from conftest import DISK

optuna = pytest.importorskip("optuna")

PRICES = {"disk.d.model": {"seagate-cheetah-9lp": 300, "hp-97560": 100, "ibm-ultrastar-18es": 180, "seagate-savvio-10k4": 260}}
SPACE = {"disk.d.model": list(PRICES["disk.d.model"]), "disk.d.count": range(1, 7), "disk.d.scheduler": ["fcfs", "sptf", "look"]}
COST = "disk.d.model * disk.d.count"
TARGETS = ["p99-latency <= 60 ms"]
BUSY = DISK.replace("mean = \"20 ms\"", "mean = \"5 ms\"").replace("requests = 400", "requests = 300").replace('on = "d"', 'on = "d*"')


def asked(**how):
    return petrio.search(BUSY, SPACE, targets=TARGETS, cost=COST, prices=PRICES, **how)


@pytest.fixture(scope="module")
def optimum():
    """The cheapest by a full sweep of as many replications."""
    frame = petrio.sweep(BUSY, SPACE, replications=5).to_pandas()
    means = frame.groupby("case").first()
    means["p99"] = frame.groupby("case")["p99-latency"].mean()
    means["cost"] = [PRICES["disk.d.model"][model] * count for model, count in zip(means["disk.d.model"], means["disk.d.count"])]
    return means[means["p99"] <= 60]["cost"].min()


def test_it_finds_what_a_full_sweep_finds(optimum):
    found = [asked(seed=seed) for seed in range(3)]
    assert [one.best.cost for one in found] == [optimum] * 3
    assert all(one.runs <= 150 for one in found)
    text = str(found[0])
    assert "petrio run" in text and "runners-up" in text and f"{optimum:,.6g}" in text
    values = [one.mean(0) for one in found[0].pareto]
    costs = [one.cost for one in found[0].pareto]
    assert costs == sorted(set(costs)) and values == sorted(set(values), reverse=True)


def test_the_best_keeps_its_targets_when_it_is_run_again(optimum):
    best = asked().best
    scenario = petrio.Scenario(BUSY)
    for key, value in best.values.items():
        scenario = scenario.set(key, value)
    assert petrio.run(scenario.set("measure.replications", 5), what_if=False).p99_latency <= 60 * 1.02


def test_a_budget_is_kept(optimum):
    assert asked(runs=9).runs <= 9
    assert asked(runs=1).runs == 1


def test_nothing_found_is_said():
    found = petrio.search(BUSY, SPACE, targets=["p99-latency <= 1 us"], cost=COST, prices=PRICES, runs=20)
    assert found.best is None and "none was found" in str(found) and "nearest" in str(found)


def test_functions_and_formulas_cost_the_same():
    of_function = petrio.search(BUSY, SPACE, targets=TARGETS, cost=lambda values: PRICES["disk.d.model"][values["disk.d.model"]] * int(values["disk.d.count"]), runs=40)
    assert of_function.best.cost == asked(runs=40).best.cost


@pytest.mark.parametrize(
    "change, says",
    [
        ({"targets": []}, "nothing has to be kept"),
        ({"targets": ["p99-latency"]}, "no comparison"),
        ({"targets": ["p99-latency <= 20 KiB"]}, "no limit of"),
        ({"targets": ["p98-latency <= 20 ms"]}, "p98"),
        ({"cost": "disk.d.model *"}, "the cost"),
        ({"cost": "disk.e.count"}, "isn't searched"),
        ({"cost": "__import__('os').system('true')"}, "is neither"),
        ({"prices": {}}, "no price"),
        ({"prices": {"disk.d.model": {"hp-97560": 1}}}, "no price"),
        ({"prices": {"host.h.memory": {"1 GiB": 1}}}, "isn't searched"),
        ({"where": ["disk.d.count > 9"]}, "no case is left"),
    ],
)
def test_what_makes_no_sense_is_refused(change, says):
    how = {"targets": TARGETS, "cost": COST, "prices": PRICES, **change}
    with pytest.raises(petrio.PetrioError, match=says):
        petrio.search(BUSY, SPACE, **how)


def test_configurations_that_are_no_scenarios_lose_without_a_run():
    capacity = "workload.w.generators.0.capacity"
    prices = {capacity: {"20 GB": 1, "1 GB": 2}}
    found = petrio.search(BUSY, {"disk.d.count": [1, 2, 3, 4], capacity: ["20 GB", "1 GB"]}, targets=["p99-latency <= 1 s"], cost=f"disk.d.count * {capacity}", prices=prices, runs=30)
    assert any(one.impossible for one in found.candidates), "a disk holds 9 GB"
    assert found.best is not None and found.best.values == {"disk.d.count": "1", capacity: "1 GB"}


def test_a_killed_search_goes_on(tmp_path):
    storage = tmp_path / "search.log"
    text = f"""
import petrio
petrio.search({BUSY!r}, {SPACE!r}, targets={TARGETS!r}, cost={COST!r}, prices={PRICES!r}, storage={str(storage)!r}, progress=lambda *of: print(of[0], flush=True))
"""
    started = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    while int(started.stdout.readline()) < 6:
        pass
    started.send_signal(signal.SIGKILL)
    started.wait()
    told = []
    found = asked(storage=storage, progress=lambda *of: told.append(of[0]))
    assert told[0] > 6, "what was run isn't run again"
    assert found.best.cost == asked().best.cost


def test_the_command(tmp_path):
    path = tmp_path / "disk.toml"
    path.write_text(BUSY)
    price = "disk.d.model=" + ",".join(f"{model}:{price}" for model, price in PRICES["disk.d.model"].items())
    words = ["--vary", "disk.d.model=" + ",".join(SPACE["disk.d.model"]), "--vary", "disk.d.count=1..6", "--price", price, "--cost", COST]
    command = [sys.executable, "-m", "petrio", "search", str(path), *words, "--target", TARGETS[0]]
    ran = subprocess.run([*command, "--json", str(tmp_path / "found.json"), "--html", str(tmp_path / "found.html")], capture_output=True, text=True)
    assert ran.returncode == 0 and "petrio run" in ran.stdout, ran.stderr
    assert json.loads((tmp_path / "found.json").read_text())["best"]["holds"] is True
    assert "<svg" in (tmp_path / "found.html").read_text()
    none = subprocess.run([*command[:-1], "p99-latency <= 1 us", "--runs", "10"], capture_output=True, text=True)
    assert none.returncode == 3
    wrong = subprocess.run([*command[:-1], "p99-latency"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "no comparison" in wrong.stderr and not wrong.stdout


PRICED = BUSY.replace('model = "seagate-cheetah-9lp"', 'model = "seagate-exos-x16-16tb"')


def test_without_a_formula_it_is_what_the_report_says_that_it_costs():
    found = petrio.search(PRICED, {"disk.d.count": range(1, 5)}, targets=["p99-latency <= 120 ms"], runs=30)
    assert found.best.values == {"disk.d.count": "2"} and found.best.cost == 1220
    scenario = petrio.Scenario(PRICED).set("disk.d.count", 2)
    assert petrio.run(scenario, what_if=False)["cost"] == pytest.approx(found.best.cost)
    with pytest.raises(petrio.PetrioError, match="price"):
        petrio.search(BUSY, {"disk.d.count": range(1, 5)}, targets=["p99-latency <= 120 ms"], runs=30)
