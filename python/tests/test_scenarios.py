"""Scenarios as values, and what is said of those that are wrong."""

import os
import pickle
import subprocess
import sys

import pytest

import petrio
from conftest import DISK


def test_a_file_a_text_a_dict_and_builders_are_the_same_scenario(examples, tmp_path):
    import tomllib

    path = tmp_path / "disk.toml"
    path.write_text(DISK)
    from_text = petrio.run(DISK, what_if=False)
    from_file = petrio.run(path, what_if=False)
    from_dict = petrio.run(tomllib.loads(DISK), what_if=False)
    parts = petrio.parts
    built = parts.Scenario(
        title="a disk under random requests",
        seed=1,
        disk={"d": parts.Disk(model="seagate-cheetah-9lp")},
        workload={"w": tomllib.loads(DISK)["workload"]["w"]},
    )
    from_builder = petrio.run(built, what_if=False)
    assert from_text.data == from_file.data == from_dict.data == from_builder.data
    assert from_text.rate > 0


def test_settings_change_the_run_and_nothing_else(disk):
    slower = disk.set("disk.d.model", "hp-97560")
    assert disk.settings == [] and slower.settings == ["disk.d.model=hp-97560"]
    assert petrio.run(slower, what_if=False).mean_latency > petrio.run(disk, what_if=False).mean_latency


def test_a_pickled_scenario_takes_its_files_along(examples, tmp_path):
    here = petrio.Scenario(examples / "load-on-one-disk.toml").portable()
    expected = petrio.run(here, what_if=False, until="2 s").data
    parcel = tmp_path / "parcel"
    parcel.write_bytes(pickle.dumps(here))
    # In a process of its own, in another folder, where none of the files can be found by their names.
    text = "import pickle, sys, json, petrio; print(json.dumps(petrio.run(pickle.load(open(sys.argv[1], 'rb')), what_if=False, until='2 s').data))"
    printed = subprocess.run([sys.executable, "-c", text, str(parcel)], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    import json

    assert json.loads(printed) == expected


def test_mistakes_are_told_as_on_the_command_line():
    wrong = petrio.Scenario(DISK.replace("seagate-cheetah-9lp", "seagate-cheetah-9lb"))
    with pytest.raises(petrio.ScenarioError) as raised:
        wrong.check()
    assert "seagate-cheetah-9lb" in str(raised.value) and "did you mean" in str(raised.value)
    [problem] = raised.value.problems
    assert problem["location"].startswith("scenario:") and "seagate-cheetah-9lp" in problem["advice"]
    command = os.environ.get("PETRIO")
    if command:
        import pathlib, tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "scenario"
            path.write_text(wrong.text)
            said = subprocess.run([command, "check", "scenario"], cwd=folder, capture_output=True, text=True)
            assert said.returncode == 2 and problem["message"] in said.stderr and problem["advice"] in said.stderr


@pytest.mark.parametrize(
    "setting, value, says",
    [("disk.d.count", "-1", "count"), ("disk.d.modell", "x", "modell"), ("workload.w.requests", "5 ms", "requests"), ("", "1", "path")],
)
def test_wrong_settings_are_refused(disk, setting, value, says):
    with pytest.raises(petrio.ScenarioError, match=says):
        disk.set(setting, value).check()


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="no scenario"):
        petrio.Scenario(tmp_path / "none.toml")
    with pytest.raises(petrio.ScenarioError):
        petrio.run({"disk": {"d": {"model": object.__name__}}})


def test_quantities_carry_their_unit():
    assert petrio.KiB(64) == "64 KiB" and petrio.ms(2.5) == "2.5 ms" and petrio.MiB_per_s(100) == "100 MiB/s"
    assert petrio.GiB(1e-3) == "0.001 GiB"
