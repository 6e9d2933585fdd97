"""What a case of a sweep costs here, under Dask and under Ray: processor time of all processes once they have started, as ratios to runs alone."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import petrio

sys.path.insert(0, str(Path(__file__).parent / "tests"))
from conftest import DISK  # noqa: E402

#: Requests of a run that takes about 10 ms.
REQUESTS = 4000
#: Cases of a sweep.
CASES = 2000


def processor_s() -> float:
    """Processor time of this process and all below it, seconds; of those that are there."""
    import psutil

    own = psutil.Process()
    total = 0.0
    for process in [own, *own.children(recursive=True)]:
        try:
            times = process.cpu_times()
            total += times.user + times.system
        except psutil.Error:
            pass
    return total


def measured(name: str, work: Callable[[], None], cases: int, alone: float | None, aim: float | None) -> float:
    began, wall = processor_s(), time.perf_counter()
    work()
    each, wall = (processor_s() - began) / cases, time.perf_counter() - wall
    ratio = "" if alone is None else f"{(each / alone - 1) * 100:+6.1f} %"
    judged = "" if aim is None or alone is None else f"  (aim {aim:.0f} %: {'met' if each / alone - 1 <= aim / 100 else 'missed'})"
    print(f"{name:34} {each * 1e3:7.2f} ms a case {ratio}  {each * cases / wall:4.2f} processors busy{judged}", flush=True)
    return each


def main() -> None:
    scenario = petrio.Scenario(DISK).set("workload.w.requests", REQUESTS)
    vary = {"workload.w.generators.0.read_fraction": f"lin(0.0, 1.0, {CASES})"}

    def runs(count: int) -> None:
        for at in range(count):
            petrio.run(scenario.set("workload.w.generators.0.read_fraction", at / count), what_if=False)

    runs(20)
    alone = measured("runs alone, one after the other", lambda: runs(400), 400, None, None)
    with tempfile.TemporaryDirectory() as folder:
        measured("threads", lambda: petrio.sweep(scenario, vary, out=Path(folder) / "here"), CASES, alone, 5)
        try:
            import distributed

            with distributed.LocalCluster(n_workers=os.cpu_count(), threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
                executor = client.get_executor(pure=False)
                petrio.sweep(scenario, {"seed": range(1, 9)}, out=Path(folder) / "warm", executor=executor, batch=1)
                measured("Dask, a local cluster", lambda: petrio.sweep(scenario, vary, out=Path(folder) / "dask", executor=executor), CASES, alone, 15)
        except ImportError:
            print("Dask isn't here")
        try:
            import ray

            ray.init(num_cpus=os.cpu_count(), include_dashboard=False, log_to_driver=False)
            executor = petrio.RayExecutor()
            petrio.sweep(scenario, {"seed": range(1, 9)}, out=Path(folder) / "warm-ray", executor=executor, batch=1)
            measured("Ray, a local cluster", lambda: petrio.sweep(scenario, vary, out=Path(folder) / "ray", executor=executor), CASES, alone, 15)
            ray.shutdown()
        except ImportError:
            print("Ray isn't here")
        same = [(Path(folder) / "here" / path.name).read_bytes() == path.read_bytes() for path in (Path(folder) / "dask").glob("*.parquet")]
        print(f"the same bytes everywhere: {'yes' if same and all(same) else 'NO'}")


if __name__ == "__main__":
    main()
