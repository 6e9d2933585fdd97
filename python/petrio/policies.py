"""Decisions of one's own in a run: programs, the order of requests, the pages that stay in memory, the number of copies.

Each is a class with the contract that petrio's own have. It is slow: a call of Python costs a microsecond or more where petrio's own decide
in tens of nanoseconds, and :attr:`Report.own_calls` says how often Python was called and for how long. What raises ends the run and is
raised by :func:`petrio.run`; what never returns is interrupted by Ctrl-C.

::

    class Shortest(policies.Order):
        def __init__(self):
            self.waiting, self.head = [], 0
        def add(self, request):
            self.waiting.append(request)
        def next(self, now):
            nearest = min(self.waiting, key=lambda request: abs(request.offset - self.head))
            self.waiting.remove(nearest)
            self.head = nearest.offset + nearest.length
            return nearest

    petrio.run(policies.order("files.toml", "data", Shortest))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import _petrio
from .scenario import Scenario, ScenarioLike

__all__ = ["Copies", "Operation", "Order", "Pages", "Program", "copies", "order", "pages", "programs"]


@dataclass(frozen=True)
class Operation:
    """What a program asks for: ``Operation("read", "table", offset=0, length=4096)``.

    Args:
        operation: read, write, fsync, fdatasync, open, create, close, truncate, unlink, stat, sync …
        file: Its name.
        offset: First byte.
        length: Bytes.
        synchronous: O_SYNC.
        direct: O_DIRECT.
    """

    operation: str
    file: str = ""
    offset: int = 0
    length: int = 0
    synchronous: bool = False
    direct: bool = False

    def as_tuple(self) -> tuple[str, str, int, int, bool, bool]:
        """Its parts, in order."""
        return (self.operation, self.file, self.offset, self.length, self.synchronous, self.direct)


class Program:
    """A stream of file operations by one process, which goes on when the one before is over."""

    #: The files that are there before it begins, each with its size (``"64 MiB"``). Programs of a run share them by name.
    files: dict[str, str] = {}

    def next(self, now: float) -> Operation | float | None:
        """What it does next, at ``now`` (seconds of model time): an operation, seconds of thought, or ``None`` where it has ended."""
        raise NotImplementedError

    def completed(self, bytes: int, took: float, now: float) -> None:
        """Its operation is over: bytes moved, seconds taken."""


class Order:
    """An I/O scheduler: in which order the requests of a file system go to its device.

    Each queue has one of its own, made by calling the class (or by a deep copy of an object). Requests aren't merged.
    """

    def add(self, request: Any) -> None:
        """A request comes: it has ``number``, ``offset`` and ``length`` in bytes, ``write``, ``synchronous``, ``process``, ``came``."""
        raise NotImplementedError

    def next(self, now: float) -> Any | float | None:
        """What goes to the device now, of those that came; a time until which it idles; or ``None``, until something comes or is done.

        Asked only while something waits.
        """
        raise NotImplementedError

    def completed(self, request: Any, now: float) -> None:
        """The device is done with it."""


class Pages:
    """A cache policy: which pages of files go from a host's memory when room is needed.

    Each host has one of its own, made by calling the class (or by a deep copy of an object). It is told of the pages that may go. Those that
    have to be written or read first may not: they are gone until that is done. Memory of processes isn't its concern. The cache is in single
    pages of 4 KiB then.
    """

    def came(self, page: Any) -> None:
        """A page may go from now on: it has ``mount`` (the host's file systems from 0), ``file`` and ``index``, and is a key of sets and dicts."""
        raise NotImplementedError

    def used(self, page: Any) -> None:
        """A page was read or written by a call."""

    def gone(self, page: Any) -> None:
        """A page that came can't go any more: it has gone, or is written or read first."""
        raise NotImplementedError

    def victim(self) -> Any | None:
        """The page that goes next, of those that came and haven't gone; ``None`` for that which hasn't been used for longest."""
        raise NotImplementedError


class Copies:
    """A replication policy: how many copies a file has, from its past. It has no state of its own: runs share it."""

    #: Where a file's first copy goes: ``"first"``, all to the first disk, or ``"random"``.
    home: str = "first"

    def of_old(self, most: int) -> int:
        """How many copies a file has that was there before the run."""
        return most

    def of_new(self, most: int) -> int:
        """How many copies a file has when it is made."""
        return 1

    def decide(self, event: str, history: dict[str, Any], copies: int, most: int, now: float) -> tuple[int, float] | str | None:
        """What something that happened to a file means for its copies.

        Args:
            event: create, open-for-write, open-for-read, truncate, read, write, disk-read, disk-write, delete.
            history: size, created, last_read, last_write, opened_for_write, opened_for_read, opened_with_miss, reads_of_late, writes_of_late.
            copies: How many there are.
            most: How many there may be.
            now: Seconds of model time.

        Returns:
            ``None`` where nothing is to be done; ``"master"`` or ``"random"``, all but that one go at once; or a number of copies, and the
            seconds after which there are to be so many if nothing else is decided before.
        """
        raise NotImplementedError


def programs(scenario: ScenarioLike, file_system: str, of: Sequence[Program]) -> Scenario:
    """The scenario with these programs on a file system, a process each, in the place of its workloads."""
    of = list(of)
    if not of:
        raise _petrio.PetrioError("no program: give a list of one or more")
    return Scenario(Scenario(scenario)._inside.with_own("programs", file_system, of))


def order(scenario: ScenarioLike, file_system: str, of: type[Order] | Order) -> Scenario:
    """The scenario with requests of a file system in an order of one's own."""
    return Scenario(Scenario(scenario)._inside.with_own("order", file_system, of))


def pages(scenario: ScenarioLike, host: str, of: type[Pages] | Pages) -> Scenario:
    """The scenario with the pages of a host's cache by a policy of one's own."""
    return Scenario(Scenario(scenario)._inside.with_own("pages", host, of))


def copies(scenario: ScenarioLike, replication: str, of: type[Copies] | Copies) -> Scenario:
    """The scenario with copies of files by a policy of one's own."""
    policy = of() if isinstance(of, type) else of
    return Scenario(Scenario(scenario)._inside.with_own("copies", replication, policy))
