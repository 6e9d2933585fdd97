"""Traces and the catalogue as tables."""

from __future__ import annotations

import os

from pathlib import Path
from typing import Any

from . import _petrio


def trace(path: str | os.PathLike[str], *, format: str | None = None) -> _petrio.TraceBatches:
    """A trace in any format that petrio reads, as Arrow batches: ``polars.DataFrame(petrio.trace("job.strace"))``.

    It is read once, as its batches are taken: time and service in seconds, offsets and lengths in bytes, addresses in sectors of 512.

    Raises:
        PetrioError: a file that can't be read, or in no known format.
    """
    return _petrio.trace(Path(path), format)


def catalogue() -> _petrio.Table:
    """Every drive, machine, kernel, network, array and adapter that petrio knows, a row each: shelf, key, name, and its file's text."""
    return _petrio.catalogue()


def part(name: str) -> dict[str, Any]:
    """A part of the catalogue as its file has it.

    Raises:
        PetrioError: there is none of that name.
    """
    try:
        import tomllib
    except ImportError:  # Python 3.10
        import tomli as tomllib
    return tomllib.loads(_petrio.catalogue_text(name))


def schema() -> dict[str, Any]:
    """The JSON schema of scenarios."""
    import json

    return json.loads(_petrio.schema())
