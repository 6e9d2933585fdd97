"""strace's lines become the requests that the program made."""

import lzma
import tempfile
import unittest
from pathlib import Path

from file_requests import convert, write_requests

LINES = """\
7 100.000000 openat(AT_FDCWD</d>, "a", O_RDWR) = 3</d/a> <0.000010>
7 100.000100 pread64(3</d/a>, ""..., 4096, 8192) = 4096 <0.000050>
7 100.000250 pwrite64(3</d/a>, ""..., 512, 0) = 512 <0.000010>
7 100.000300 fdatasync(3</d/a>) = 0 <0.002000>
7 100.010000 read(4</elsewhere/b>, ""..., 100) = 100 <0.000001>
8 100.020000 lseek(5</d/c>, 100, SEEK_SET) = 100 <0.000001>
8 100.030000 write(5</d/c>, ""..., 50) = 50 <0.000001>
8 100.040000 write(5</d/c>, ""..., 50) = 50 <0.000001>
8 100.050000 pread64(5</d/c>, "", 50, 900) = 0 <0.000001>
8 100.060000 fsync(5</d/c> <unfinished ...>
8 100.070000 pread64(9</d/gone>, "", 50, 900) = -1 EBADF (Bad file descriptor) <0.000001>
"""


class Convert(unittest.TestCase):
    def test_requests_keep_place_operation_file_process_and_times(self):
        found = convert(LINES.splitlines(), "/d")
        rounded = [(*request[:5], round(request[5]), round(request[6])) for request in found.requests]
        self.assertEqual(
            rounded,
            [
                (8192, 4096, "R", 0, 0, 0, 50),
                (0, 512, "W", 0, 0, 100, 10),
                (0, 0, "D", 0, 0, 40, 2000),
                (100, 50, "W", 1, 1, 0, 1),
                (150, 50, "W", 1, 1, 9999, 1),
            ],
        )
        self.assertEqual(found.unread, 1)

    def test_what_is_written_has_a_heading_and_a_line_a_request(self):
        found = convert(LINES.splitlines(), "/d")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "requests.csv.xz"
            write_requests(path, found, ["program", "--option"])
            lines = lzma.open(path, "rt").read().splitlines()
        self.assertEqual(lines[0], "# Recorded with strace: program --option")
        self.assertEqual(lines[3], "offset_bytes,length_bytes,operation,file,process,think_us,response_us")
        self.assertEqual(lines[4:6], ["8192,4096,R,0,0,0,50", "0,512,W,0,0,100,10"])
        self.assertEqual(len(lines), 4 + 5)


if __name__ == "__main__":
    unittest.main()
