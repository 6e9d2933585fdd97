"""Scenarios as values: from files, texts, dicts or builders; changed without touching any file; picklable."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

from . import _petrio

#: Whatever a scenario can be made of: a path, a text of TOML, a dict, a builder of ``petrio.parts``, a scenario.
ScenarioLike = Union["Scenario", str, "os.PathLike[str]", Mapping, Any]


class Scenario:
    """A System, what it is asked to do, what to measure and when to stop.

    ``Scenario(what)`` takes the path of a file, a text of TOML (a ``str`` of several lines), a dict of the same tables, or a builder
    (``petrio.parts.Scenario``). Files that it names lie beside it: beside the file, or in ``folder`` (left out, the current one).

    A scenario doesn't change: :meth:`set` gives another one. Pickled, it takes its text along, and after :meth:`portable` the files that
    it reads, too.

    Raises:
        ScenarioError: when it is used and wrong, with the text, place and advice of the command line. :meth:`check` asks at once.
    """

    __slots__ = ("_inside",)

    def __init__(self, what: ScenarioLike, *, name: str = "scenario", folder: str | os.PathLike[str] | None = None) -> None:
        if isinstance(what, Scenario):
            self._inside = what._inside
        elif isinstance(what, _petrio.Scenario):
            self._inside = what
        elif isinstance(what, os.PathLike) or (isinstance(what, str) and "\n" not in what and "=" not in what):
            path = Path(what)
            if not path.exists():
                raise FileNotFoundError(f"there is no scenario {path}; a text of TOML has several lines, or is petrio.Scenario(text + '\\n')")
            self._inside = _petrio.Scenario(path)
        else:
            text = what if isinstance(what, str) else _petrio.Scenario.toml_of(json.dumps(plain(what)))
            self._inside = _petrio.Scenario(Path(folder or "") / name, text)

    def set(self, path: str, value: Any) -> Scenario:
        """The scenario with the value at a dotted path changed: ``set("disk.d.count", 4)``, as ``--set`` does.

        Quantities are texts with their unit (``"64 KiB"``) or :mod:`petrio.units`. Nothing is read yet.
        """
        return Scenario(self._inside.set(path, as_value(value)))

    def check(self) -> list[str]:
        """Reads it; what should be known before its results are trusted.

        Raises:
            ScenarioError: where it is wrong.
        """
        return self._inside.check()

    def portable(self) -> Scenario:
        """The same with every file that it reads held in memory: it runs wherever it is sent."""
        return Scenario(self._inside.portable())

    def effective(self) -> dict[str, Any]:
        """What it says, with all defaults filled in and all parts written out."""
        return json.loads(self._inside.effective_json())

    @property
    def text(self) -> str:
        """What stands in it, as TOML."""
        return self._inside.text

    @property
    def path(self) -> Path:
        """Where it lies, or would lie."""
        return Path(self._inside.path)

    @property
    def settings(self) -> list[str]:
        """What is set besides, as ``path=value``."""
        return self._inside.settings_text

    def __reduce__(self):
        return (Scenario, (self._inside,))

    def __repr__(self) -> str:
        settings = "".join(f", {setting}" for setting in self.settings)
        return f"<petrio.Scenario {self.path}{settings}>"


def plain(value: Any) -> Any:
    """A value as JSON has it: builders as dicts without what is left out."""
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if isinstance(value, Mapping):
        return {str(key): plain(of) for key, of in value.items() if of is not None}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value


def as_value(value: Any) -> str:
    """A value as ``--set`` and ``--vary`` take it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return json.dumps(plain(value), ensure_ascii=False)
