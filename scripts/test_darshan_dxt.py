"""Darshan's records become the lines that darshan-dxt-parser prints."""

import contextlib
import importlib.util
import io
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import darshan_dxt

RECORD = {
    "id": 77,
    "rank": 3,
    "hostname": "node7",
    "write_count": 1,
    "read_count": 1,
    "write_segments": [{"offset": 4096, "length": 512, "start_time": 0.5, "end_time": 0.5032}],
    "read_segments": [{"offset": 0, "length": 20, "start_time": 0.9, "end_time": 0.9001}],
}
DATA = Path(os.environ.get("PETRIO_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


class Text(unittest.TestCase):
    def test_a_record_has_a_line_for_each_request(self):
        metadata = {"exe": "./job -a", "job": {"start_time_sec": 1515172800, "start_time_nsec": 250000000, "nprocs": 4}}
        lines = list(darshan_dxt.text(metadata, {77: "/data/one"}, [("X_POSIX", RECORD)]))
        self.assertIn("# start_time: 1515172800.250000000", lines)
        self.assertIn("# DXT, file_id: 77, file_name: /data/one", lines)
        requests = [line.split() for line in lines if line.startswith(" X_")]
        self.assertEqual(requests[0], ["X_POSIX", "3", "write", "0", "4096", "512", "0.500000000", "0.503200000"])
        self.assertEqual(requests[1][2:6], ["read", "0", "0", "20"])

    def test_large_numbers_do_not_run_together(self):
        segment = {"offset": 10**17, "length": 10**14, "start_time": 9132.5446, "end_time": 93132.5446}
        record = {**RECORD, "rank": 123456, "write_segments": [segment], "read_segments": []}
        lines = list(darshan_dxt.record_lines("X_POSIX", record, "/data/one"))
        self.assertEqual(len(lines[-1].split()), 8)

    def test_a_missing_package_is_named_with_how_to_install_it(self):
        said = io.StringIO()
        with mock.patch.dict("sys.modules", {"darshan": None}), contextlib.redirect_stderr(said):
            self.assertEqual(darshan_dxt.main(["log.darshan", "out.txt"]), 2)
        self.assertIn("pip install darshan", said.getvalue())

    def test_a_log_without_an_extended_trace_is_refused(self):
        fake = mock.MagicMock()
        fake.DarshanReport.return_value.modules = {"POSIX": {}}
        said = io.StringIO()
        with mock.patch.dict("sys.modules", {"darshan": fake}), contextlib.redirect_stderr(said):
            self.assertEqual(darshan_dxt.main(["log.darshan", "never-written.txt"]), 2)
        self.assertIn("DXT_ENABLE_IO_TRACE", said.getvalue())


class Logs(unittest.TestCase):
    def setUp(self):
        if importlib.util.find_spec("darshan") is None:
            self.skip("the Python package darshan")
        if not (DATA / "traces" / "darshan").is_dir():
            self.skip(DATA / "traces" / "darshan")

    def skip(self, needed):
        print(f"skipped: {self.id()} needs {needed}")
        self.skipTest(f"needs {needed}")

    def test_the_sample_logs_have_as_many_lines_as_they_count_requests(self):
        for name in ("sample-dxt-simple.darshan", "dxt.darshan", "ior_hdf5_example.darshan"):
            with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
                out = Path(folder) / "dxt.txt"
                self.assertEqual(darshan_dxt.main([str(DATA / "traces" / "darshan" / name), str(out)]), 0)
                lines = out.read_text().splitlines()
            counts = [line.replace(",", "").split() for line in lines if line.startswith("# DXT, write_count")]
            counted = sum(int(count[3]) + int(count[5]) for count in counts)
            self.assertEqual(sum(line.startswith(" X_") for line in lines), counted, name)
            self.assertGreater(counted, 0, name)


if __name__ == "__main__":
    unittest.main()
