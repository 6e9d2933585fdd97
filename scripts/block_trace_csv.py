"""Writes requests as petrio's block-trace CSV, complete or not at all.

The columns and their units are documented where petrio reads them,
crates/workload/src/trace/format/petrio.rs. Times count from the first arrival. Processes
are numbered from 1 in order of appearance; comments at the head give their names.
"""

from whole_file import write_lines

COLUMNS = "time_us,response_us,process,operation,address_blocks,length_blocks"
LETTERS = {"read": "R", "write": "W", "flush": "F"}


def lines(title, requests):
    """The trace as lines without their ends."""
    yield "# petrio block trace, version 1"
    if title:
        yield "# " + " ".join(title.split())
    numbers = {}
    for request in requests:
        if request.process not in numbers:
            numbers[request.process] = len(numbers) + 1
            task = "".join(letter if letter.isprintable() else "?" for letter in request.task)
            yield f"# process {numbers[request.process]}: {task}"
    yield COLUMNS
    origin = requests[0].arrival
    for request in requests:
        operation = LETTERS[request.direction]
        operation += "S" if request.synchronous else ""
        operation += "U" if request.force_unit_access else ""
        yield (
            f"{request.arrival - origin},{request.completion - request.arrival},{numbers[request.process]},"
            f"{operation},{request.address},{request.blocks}"
        )


def write_trace(path, title, requests):
    """Writes the requests, which are in order of arrival and at least one, to a file that is whole or absent."""
    write_lines(path, lines(title, requests))
