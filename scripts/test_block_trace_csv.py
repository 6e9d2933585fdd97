"""Claims about the trace file: it is what petrio's reader documents, whole or absent."""

import lzma
import os
import tempfile
import unittest
import zlib

from block_events import Request
from block_trace_csv import lines, write_trace

REQUESTS = [
    Request(1_000, 812, "postgres", "read", 2048, 16, True, False, 1_001, 1_135),
    Request(1_010, 10, "jbd2/sda1-8", "write", 816, 8, True, True, 1_011, 1_035),
    Request(1_020, 812, "postgres", "flush", 0, 0, True, False, 1_021, 1_120),
    Request(1_030, 44, "odd\nname", "write", 64, 8, False, False, 1_031, 1_050),
]


class Writing(unittest.TestCase):
    def test_the_columns_are_those_that_petrio_reads(self):
        self.assertEqual(
            list(lines("a  title\nin two lines", REQUESTS)),
            [
                "# petrio block trace, version 1",
                "# a title in two lines",
                "# process 1: postgres",
                "# process 2: jbd2/sda1-8",
                "# process 3: odd?name",
                "time_us,response_us,process,operation,address_blocks,length_blocks",
                "0,135,1,RS,2048,16",
                "10,25,2,WSU,816,8",
                "20,100,1,FS,0,0",
                "30,20,3,W,64,8",
            ],
        )

    def test_every_compression_holds_the_same_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            contents = set()
            for name, unpack in (("t.csv", bytes), ("t.csv.gz", lambda data: zlib.decompress(data, 31)), ("t.csv.xz", lzma.decompress)):
                path = os.path.join(folder, name)
                write_trace(path, "", REQUESTS)
                with open(path, "rb") as file:
                    contents.add(unpack(file.read()))
            self.assertEqual(len(contents), 1)
            self.assertEqual(len(os.listdir(folder)), 3)

    def test_a_writer_that_fails_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = REQUESTS + [Request(1_040, 1, "x", "discard", 0, 8, False, False, 1_041, 1_050)]
            with self.assertRaises(KeyError):
                write_trace(os.path.join(folder, "t.csv"), "", broken)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
