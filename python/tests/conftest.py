"""What the tests share: scenarios of their own, and where the repository's examples lie."""

from pathlib import Path

import pytest

import petrio

EXAMPLES = Path(__file__).parents[2] / "examples"

#: One disk under random requests, 10 ms of work.
DISK = """
title = "a disk under random requests"
seed = 1

[disk.d]
model = "seagate-cheetah-9lp"

[workload.w]
kind = "synthetic"
on = "d"
requests = 400
generators = [{ read_fraction = 1, time_critical_fraction = 0, inter_arrival = { exponential = { mean = "20 ms" } }, size = { constant = "4 KiB" } }]
"""


@pytest.fixture
def examples() -> Path:
    return EXAMPLES


@pytest.fixture
def disk() -> petrio.Scenario:
    return petrio.Scenario(DISK)
