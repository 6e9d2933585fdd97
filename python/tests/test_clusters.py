"""Sweeps on local clusters: the same bytes as here. Long ones: `scripts/python.sh clusters` runs them."""

import os
import shutil
import subprocess
import sys

import pytest

import petrio
from conftest import DISK
from test_sweeps import VARY, contents

pytestmark = pytest.mark.clusters


@pytest.fixture
def local(tmp_path):
    petrio.sweep(DISK, VARY, replications=2, out=tmp_path / "local")
    return contents(tmp_path / "local")


def test_dask(local, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        petrio.sweep(DISK, VARY, replications=2, out=tmp_path / "out", executor=client.get_executor(pure=False))
        assert contents(tmp_path / "out") == local
        # A worker that dies half-way: its cases run again.
        import threading

        longer = petrio.Scenario(DISK).set("workload.w.requests", 20_000)
        expected = petrio.sweep(longer, VARY, out=tmp_path / "expected")
        killed = threading.Timer(0.5, lambda: os.kill(next(iter(cluster.workers.values())).pid, 9))
        killed.start()
        petrio.sweep(longer, VARY, out=tmp_path / "again", executor=client.get_executor(pure=False), batch=1)
        assert contents(tmp_path / "again") == contents(expected.folder)


def test_ray(local, tmp_path):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        petrio.sweep(DISK, VARY, replications=2, out=tmp_path / "out", executor=petrio.RayExecutor(), batch=2)
    finally:
        ray.shutdown()
    assert contents(tmp_path / "out") == local


def test_two_ranks_of_mpi(local, tmp_path):
    pytest.importorskip("mpi4py")
    if not shutil.which("mpiexec"):
        pytest.skip("there is no mpiexec")
    script = tmp_path / "study.py"
    script.write_text(
        f"""
import petrio
from mpi4py.futures import MPIPoolExecutor
if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        petrio.sweep({DISK!r}, {VARY!r}, replications=2, out={str(tmp_path / 'out')!r}, executor=executor, batch=2)
"""
    )
    command = ["mpiexec", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable, "-m", "mpi4py.futures", str(script)]
    subprocess.run(command, check=True, timeout=300)
    assert contents(tmp_path / "out") == local
