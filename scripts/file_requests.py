"""From strace's lines to captured file requests."""

import re
from dataclasses import dataclass, field

from whole_file import write_lines

CALLS = ("pread64", "pwrite64", "read", "write", "lseek", "fsync", "fdatasync", "openat")

_LINE = re.compile(
    r"^(?P<process>\d+)\s+(?P<time>\d+\.\d+) (?P<call>\w+)\((?P<arguments>.*)\)\s+= (?P<result>-?\d+).*<(?P<took>\d+\.\d+)>$"
)
_FILE = re.compile(r"^\d+<(?P<path>/[^>]*)>")
_LETTERS = {"pread64": "R", "read": "R", "pwrite64": "W", "write": "W", "fsync": "F", "fdatasync": "D"}


@dataclass
class Found:
    """What a command did: requests as (offset, length, operation, file, process, think, response), times in µs."""

    requests: list = field(default_factory=list)
    files: dict = field(default_factory=dict)
    processes: dict = field(default_factory=dict)
    unread: int = 0


def convert(lines, under):
    """The requests on files below a directory, in order; calls that were interrupted in the log are counted."""
    found, places, ended = Found(), {}, {}
    for line in lines:
        match = _LINE.match(line.strip())
        if match is None:
            found.unread += "<unfinished" in line and under in line
            continue
        call, result, arguments = match["call"], int(match["result"]), match["arguments"]
        target = _FILE.match(arguments)
        if call == "openat" or target is None or not target["path"].startswith(under + "/") or result < 0:
            continue
        path, process = target["path"], match["process"]
        # A process has each file open once, as far as this knows: its place goes with the path.
        place = (process, path)
        if call == "lseek":
            places[place] = result
            continue
        offset, length = 0, 0
        if call in ("pread64", "pwrite64"):
            offset, length = int(arguments.rsplit(",", 1)[1]), result
        elif call in ("read", "write"):
            offset, length = places.get(place, 0), result
            places[place] = offset + length
        if call not in ("fsync", "fdatasync") and length == 0:
            continue
        began, took = float(match["time"]), float(match["took"])
        think = max(0.0, began - ended.get(process, began))
        ended[process] = began + took
        file = found.files.setdefault(path, len(found.files))
        number = found.processes.setdefault(process, len(found.processes))
        found.requests.append((offset, length, _LETTERS[call], file, number, think * 1e6, took * 1e6))
    return found


def lines(found, command):
    """The requests as lines without their ends, in petrio's own columns."""
    names = ", ".join(f"{number} {name.rsplit('/', 1)[1]}" for name, number in found.files.items())
    yield f"# Recorded with strace: {' '.join(command)}"
    yield f"# files: {names}"
    yield "# Think times contain what strace costs."
    yield "offset_bytes,length_bytes,operation,file,process,think_us,response_us"
    for offset, length, letter, file, process, think, took in found.requests:
        yield f"{offset},{length},{letter},{file},{process},{think:.0f},{took:.0f}"


def write_requests(path, found, command):
    """Writes them to a file that is whole or absent."""
    write_lines(str(path), lines(found, command))
