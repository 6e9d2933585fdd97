"""A System that is driven by hand: closed loops, controllers, environments to learn in."""

from __future__ import annotations

from typing import Any

from . import _petrio
from ._petrio import Completion
from .scenario import Scenario, ScenarioLike


class Engine:
    """A scenario's System at an instant of model time; its workloads don't run, but their files are there.

    ::

        engine = petrio.Engine("files.toml")
        writer = engine.program("data")
        writer.create("log")
        while engine.now < 1.0:
            writer.write("log", offset=engine.now_bytes, length=4096)
            [done] = engine.advance()

    Args:
        scenario: Its System is driven.
        seed: Where random numbers begin; left out, the scenario's.
        replication: Which replication's.
    """

    def __init__(self, scenario: ScenarioLike, *, seed: int | None = None, replication: int = 0) -> None:
        self._inside = _petrio.Engine(Scenario(scenario)._inside, seed, replication)

    @classmethod
    def _of(cls, inside: _petrio.Engine) -> Engine:
        engine = cls.__new__(cls)
        engine._inside = inside
        return engine

    @property
    def now(self) -> float:
        """The clock, seconds of model time."""
        return self._inside.now

    @property
    def under_way(self) -> int:
        """How many submissions haven't come back."""
        return self._inside.under_way

    @property
    def file_systems(self) -> list[str]:
        """The file systems that programs can ask."""
        return self._inside.file_systems

    @property
    def devices(self) -> list[str]:
        """The devices and arrays that programs can ask, where the scenario's workloads do."""
        return self._inside.devices

    def files(self, file_system: str) -> list[str]:
        """The files of a file system, by their paths."""
        return self._inside.files(file_system)

    def program(self, target: str) -> Process:
        """A process that asks a file system or a device, by its name."""
        if target in self.file_systems:
            return Process(self, self._inside.program(target), target, None)
        return Process(self, self._inside.program(), None, target)

    def advance(self, until: float | None = None) -> list[Completion]:
        """Goes on to the first instant at which something comes back, or to ``until`` (seconds); what came back.

        Raises:
            RunError: what is under way never comes back, for one.
        """
        return self._inside.advance(until)

    def checkpoint(self) -> Any:
        """Where it is, complete: for :meth:`restore`."""
        return self._inside.checkpoint()

    def restore(self, checkpoint: Any) -> None:
        """Back, or on, to where it was."""
        self._inside.restore(checkpoint)

    def fork(self) -> Engine:
        """Another that goes on from here, each for itself. Programs have the same numbers in both: :meth:`Process.in_` moves one over."""
        return self._of(self._inside.fork())

    def reseed(self, seed: int, replication: int = 0) -> None:
        """Other random numbers from here on."""
        self._inside.reseed(seed, replication)

    def set_speed(self, path: str, factor: float) -> None:
        """Makes a part so many times as fast from here on, by its page's path: ``set_speed("d0/mechanics", 2.0)``."""
        self._inside.set_speed(path, factor)

    def __repr__(self) -> str:
        return f"<petrio.{self._inside!r}>"


class Process:
    """A process of a program: what it asks for comes back from :meth:`Engine.advance`, by the ticket that each call gives.

    ``at`` is when, in seconds of model time; left out, now.
    """

    def __init__(self, engine: Engine, number: int, file_system: str | None, device: str | None) -> None:
        self._engine, self._number, self._file_system, self._device = engine, number, file_system, device

    def in_(self, engine: Engine) -> Process:
        """The same process in a fork of its engine, or one that was restored."""
        return Process(engine, self._number, self._file_system, self._device)

    def submit(
        self,
        operation: str,
        file: str = "",
        *,
        offset: int = 0,
        length: int = 0,
        at: float | None = None,
        synchronous: bool = False,
        direct: bool = False,
    ) -> int:
        """Any operation by its name (``"read"``, ``"fsync"``, ``"rename"`` …) on a file, or on the device; a ticket.

        Raises:
            PetrioError: an operation or a file that there isn't, a time before now.
        """
        if self._file_system is not None:
            return self._engine._inside.submit_operation(
                self._number, self._file_system, operation, file, offset, length, at, synchronous, direct
            )
        if operation not in ("read", "write"):
            raise _petrio.PetrioError(f"a device reads and writes; \"{operation}\" is for files")
        return self._engine._inside.submit_request(self._number, self._device, operation == "write", offset, length, at)

    def read(self, file: str = "", *, offset: int = 0, length: int, **how: Any) -> int:
        """Reads ``length`` bytes at ``offset``."""
        return self.submit("read", file, offset=offset, length=length, **how)

    def write(self, file: str = "", *, offset: int = 0, length: int, **how: Any) -> int:
        """Writes ``length`` bytes at ``offset``."""
        return self.submit("write", file, offset=offset, length=length, **how)

    def create(self, file: str, **how: Any) -> int:
        """Makes a file in the root, and opens it."""
        return self.submit("create", file, **how)

    def fsync(self, file: str, **how: Any) -> int:
        """Makes a file durable."""
        return self.submit("fsync", file, **how)

    def end(self) -> None:
        """It has ended: who waits for it is told."""
        self._engine._inside.end(self._number)
