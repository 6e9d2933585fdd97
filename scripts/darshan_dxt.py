#!/usr/bin/env python3
"""From a binary Darshan log to the text that petrio reads: darshan_dxt.py FILE.darshan OUT

OUT is what darshan-dxt-parser prints, a line for each read or write (module, rank, operation, segment, offset, length, start and end in
seconds), packed as its name says (.gz, .xz, .zst) or not. `petrio trace info OUT` and every other trace command read it.

Needs the package `darshan` (pydarshan) from PyPI: pip install darshan
"""

import logging
import sys

from whole_file import write_lines

MISSING = """error: the Python package `darshan` is missing, which reads Darshan's binary logs
 help: python3 -m pip install darshan"""

MODULES = (("DXT_POSIX", "X_POSIX"), ("DXT_MPIIO", "X_MPIIO"))


class NotReadable(Exception):
    """A log that can't be made into text, with what to do."""


def header(metadata):
    """The lines about the job."""
    job = metadata.get("job", {})
    # Newer logs count nanoseconds beside the seconds.
    seconds = job.get("start_time_sec", job.get("start_time", 0))
    nanoseconds = job.get("start_time_nsec", 0)
    yield f"# exe: {metadata.get('exe', '')}"
    yield f"# nprocs: {job.get('nprocs', 0)}"
    yield f"# start_time: {float(seconds) + float(nanoseconds) / 1e9:.9f}"


def record_lines(module, record, name):
    """The lines about one file and one rank."""
    yield ""
    yield f"# DXT, file_id: {record['id']}, file_name: {name}"
    yield f"# DXT, rank: {record['rank']}, hostname: {record.get('hostname', '')}"
    yield f"# DXT, write_count: {record['write_count']}, read_count: {record['read_count']}"
    yield "# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)"
    for word, segments in (("write", record["write_segments"]), ("read", record["read_segments"])):
        for number, segment in enumerate(segments):
            offset, length = int(segment["offset"]), int(segment["length"])
            start, end = float(segment["start_time"]), float(segment["end_time"])
            yield (
                f" {module:<8} {int(record['rank']):>3}  {word:>5} {number:>8} {offset:>15} {length:>12}"
                f" {start:>11.9f} {end:>11.9f}"
            )


def text(metadata, names, records):
    """All lines; `records` are pairs of a module's short name and a record."""
    yield from header(metadata)
    for module, record in records:
        yield from record_lines(module, record, names.get(record["id"], "unknown"))


def convert(path):
    """The lines of a log."""
    import darshan

    try:
        report = darshan.DarshanReport(path, read_all=False)
    except Exception as error:  # pydarshan raises whatever its C library leads to.
        raise NotReadable(f"error: {path}: not a Darshan log that pydarshan reads: {error}") from error
    records = []
    # pydarshan warns that the form of what it gives may change; the tests would tell.
    logging.disable(logging.WARNING)
    for module, short in MODULES:
        if module not in report.modules:
            continue
        report.mod_read_all_dxt_records(module, dtype="dict")
        # Iterating gives collections of one; their list has the records.
        records.extend((short, record) for record in report.records[module].to_dict())
    if not records:
        present = ", ".join(report.modules)
        raise NotReadable(
            f"error: {path}: no extended trace in it (its modules are {present})\n"
            " help: record with DXT_ENABLE_IO_TRACE=1 in the job's environment"
        )
    return list(text(report.metadata, report.name_records, records))


def main(arguments):
    if len(arguments) != 2 or arguments[0] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    path, out = arguments
    try:
        lines = convert(path)
    except ImportError:
        print(MISSING, file=sys.stderr)
        return 2
    except NotReadable as error:
        print(error, file=sys.stderr)
        return 2
    try:
        write_lines(out, lines)
    except OSError as error:
        print(f"error: {out}: can't be written: {error}", file=sys.stderr)
        return 1
    requests = sum(line.startswith(" X_") for line in lines)
    print(f"written: {out}, {requests} requests", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
