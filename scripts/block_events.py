"""Block-layer events of the Linux kernel, matched into requests.

Reads the text of ftrace's `block_bio_queue`, `block_rq_insert`, `block_rq_issue` and
`block_rq_complete` events (include/trace/events/block.h) and gives one `Request` for each
request that the device was asked to serve.

  arrival     when it entered the queue in front of the device (block_rq_insert, or
              block_rq_issue where it went past the queue)
  completion  when the device had served all of it
  process     who queued it, not the kernel thread that happened to hand it to the device

A write with a preflush or forced unit access on a device that lacks the latter appears as
the device sees it: a flush, the write, a flush. Merged requests appear once, with the size
they had when issued. Left out: discards, zone commands, passed-through commands (counted).
"""

import bisect
import re
from dataclasses import dataclass

EVENTS = ("block_bio_queue", "block_rq_insert", "block_rq_issue", "block_rq_complete")

_HEAD = re.compile(r"^\s*(?P<task>.*)-(?P<pid>\d+)\s+\[\d+\]\s+\S+\s+(?P<time>\d+\.\d+): (?P<event>\w+): (?P<rest>.*)$")
_BIO = re.compile(r"^(?P<dev>\d+,\d+) (?P<rwbs>\S+) (?P<sector>\d+) \+ (?P<blocks>\d+) \[(?P<task>.*)\]$")
_REQUEST = re.compile(
    r"^(?P<dev>\d+,\d+) (?P<rwbs>\S+) (?:\d+ )?\(.*?\) (?P<sector>\d+) \+ (?P<blocks>\d+)"
    r"(?: [\w-]+,\d+,\d+)? \[(?P<last>.*)\]$"
)
_LOST = re.compile(r"LOST (\d+) EVENTS")


class BadEvent(ValueError):
    """A line of the recording that can't be read."""


@dataclass
class Request:
    """One request, times in microseconds of the kernel's clock, addresses in 512-byte sectors."""

    arrival: int
    process: int
    task: str
    direction: str  # "read", "write" or "flush"
    address: int
    blocks: int
    synchronous: bool
    force_unit_access: bool
    issue: int
    completion: int = -1
    served: int = 0
    flush_follows: bool = False


@dataclass
class Tally:
    """What was seen, and what could not be used."""

    events: int = 0
    lost: int = 0
    failed: int = 0
    other_commands: int = 0
    unmatched_completions: int = 0
    unfinished: int = 0


def decode_rwbs(rwbs):
    """Splits the kernel's flag letters: (preflush, operation, the letters after it).

    The order is fixed by blk_fill_rwbs(): an optional F for preflush, one letter for the
    operation, then F (forced unit access), A (read-ahead), S (synchronous), M (metadata).
    """
    preflush = rwbs.startswith("F") and len(rwbs) > 1
    rest = rwbs[1:] if preflush else rwbs
    return preflush, rest[:1], rest[1:]


class Matcher:
    """Feed it lines, then ask for the requests in order of arrival."""

    def __init__(self):
        self.tally = Tally()
        self.requests = []
        self._bios = []  # (sector, end, is_write, process, task, wants_fua), sorted; not yet in a request
        self._awaiting_flush = []  # (process, task), in order of asking
        self._inserted = []  # (sector, time, is_write), sorted
        self._in_flight = {}  # (is_write, sector where the rest begins) -> Request
        self._flushes = []  # in flight, oldest first

    def feed(self, line):
        """Takes one line of trace_pipe. Raises BadEvent for one that is neither event nor comment."""
        lost = _LOST.search(line)
        if lost:
            self.tally.lost += int(lost.group(1))
            return
        if not line.strip() or line.startswith("#"):
            return
        head = _HEAD.match(line)
        if not head:
            raise BadEvent(f"not an ftrace event: {line.rstrip()!r}")
        event, rest = head["event"], head["rest"].rstrip()
        if event not in EVENTS:
            return
        body = (_BIO if event == "block_bio_queue" else _REQUEST).match(rest)
        if not body:
            raise BadEvent(f"a {event} event in a form this program doesn't know: {rest!r}")
        self.tally.events += 1
        seconds, fraction = head["time"].split(".")
        time = int(seconds) * 1_000_000 + int(fraction.ljust(6, "0")[:6])
        preflush, operation, letters = decode_rwbs(body["rwbs"])
        sector, blocks = int(body["sector"]), int(body["blocks"])
        process = int(head["pid"])
        if event == "block_bio_queue":
            self._queue(process, body["task"], sector, blocks, preflush, operation, letters)
        elif operation == "F" or (preflush and blocks == 0):
            self._flush(event, time, process, head["task"], body["last"])
        elif operation not in ("R", "W"):
            if event == "block_rq_issue":
                self.tally.other_commands += 1
        elif event == "block_rq_insert":
            bisect.insort(self._inserted, (sector, time, operation == "W"))
        elif event == "block_rq_issue":
            self._issue(time, process, body["last"], sector, blocks, operation, letters)
        else:
            self._complete(time, sector, blocks, operation, body["last"])

    def finish(self):
        """The served requests in order of arrival; those still in flight are only counted."""
        self.tally.unfinished = len(self._in_flight) + len(self._flushes)
        served = [request for request in self.requests if request.completion >= 0]
        served.sort(key=lambda request: request.arrival)
        return served

    @property
    def in_flight(self):
        """Requests issued and not completed so far."""
        return len(self._in_flight) + len(self._flushes)

    def _queue(self, process, task, sector, blocks, preflush, operation, letters):
        if operation not in ("R", "W", "F"):
            return
        if blocks:
            bisect.insort(self._bios, (sector, sector + blocks, operation == "W", process, task, "F" in letters))
        if preflush or operation == "F":
            self._awaiting_flush.append((process, task))

    def _issue(self, time, process, task, sector, blocks, operation, letters):
        is_write, end = operation == "W", sector + blocks
        if (is_write, sector) in self._in_flight:
            return  # requeued by the driver and issued again: the first issue counts
        arrival = time
        at = bisect.bisect_left(self._inserted, (sector,))
        while at < len(self._inserted) and self._inserted[at][0] < end:
            if self._inserted[at][2] == is_write:
                arrival = min(arrival, self._inserted.pop(at)[1])
            else:
                at += 1
        process, task, wants_fua = self._who_queued(sector, end, is_write) or (process, task, False)
        request = Request(
            arrival, process, task, "write" if is_write else "read", sector, blocks,
            synchronous=not is_write or "S" in letters or "F" in letters,
            force_unit_access="F" in letters, issue=time,
            flush_follows=wants_fua and "F" not in letters,
        )
        self.requests.append(request)
        self._in_flight[(is_write, sector)] = request

    def _who_queued(self, sector, end, is_write):
        """(process, task, wants forced unit access) of the request's first bio; forgets what it covers.

        A bio that was split keeps what lies past the request's end, for its other halves.
        """
        who = None
        at = bisect.bisect_left(self._bios, (sector,))
        if at and self._bios[at - 1][1] > sector:
            at -= 1
        left_over = []
        while at < len(self._bios) and self._bios[at][0] < end:
            _, stop, writes, process, task, wants_fua = self._bios[at]
            if writes != is_write or stop <= sector:
                at += 1
                continue
            self._bios.pop(at)
            who = who or (process, task, wants_fua)
            if stop > end:
                left_over.append((end, stop, writes, process, task, wants_fua))
        for bio in left_over:
            bisect.insort(self._bios, bio)
        return who

    def _flush(self, event, time, process, task, last):
        if event == "block_rq_issue":
            # One flush serves all that wait for it; the first in line gives its name.
            process, task = self._awaiting_flush[0] if self._awaiting_flush else (process, task)
            self._awaiting_flush.clear()
            request = Request(time, process, task, "flush", 0, 0, True, False, time)
            self.requests.append(request)
            self._flushes.append(request)
        elif event == "block_rq_complete":
            if not self._flushes:
                self.tally.unmatched_completions += 1
                return
            request = self._flushes.pop(0)
            request.completion = time
            if last != "0":
                self.tally.failed += 1

    def _complete(self, time, sector, blocks, operation, error):
        if blocks == 0:
            return  # the flush machinery's own end of a write whose data ended before
        request = self._in_flight.pop((operation == "W", sector), None)
        if request is None:
            self.tally.unmatched_completions += 1
            return
        if error != "0":
            self.tally.failed += 1
        request.served += blocks
        if request.served < request.blocks:
            self._in_flight[(operation == "W", sector + blocks)] = request
        else:
            request.completion = time
            if request.flush_follows:
                self._awaiting_flush.append((request.process, request.task))
