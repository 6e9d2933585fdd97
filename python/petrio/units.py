"""Quantities with their units, as scenarios write them: ``KiB(64)`` is the text ``"64 KiB"``.

A bare number is refused wherever a scenario needs a unit, because seconds read as nanoseconds give infinite bandwidth and nobody notices.
"""

from __future__ import annotations

__all__ = [
    "Quantity",
    "B", "KiB", "MiB", "GiB", "TiB", "kB", "MB", "GB", "TB",
    "ns", "us", "ms", "s", "min", "h",
    "per_second", "kB_per_s", "MB_per_s", "GB_per_s", "KiB_per_s", "MiB_per_s", "GiB_per_s", "Mbit_per_s", "Gbit_per_s",
    "rpm", "percent",
]


class Quantity(str):
    """A number with its unit, as text."""

    __slots__ = ()


def _unit(unit: str, what: str):
    def quantity(number: float) -> Quantity:
        # repr() tells floats apart that differ; a whole number is written as one.
        text = str(int(number)) if float(number).is_integer() else repr(float(number))
        return Quantity(f"{text} {unit}")

    quantity.__name__ = quantity.__qualname__ = unit
    quantity.__doc__ = f"So many {what}."
    return quantity


B = _unit("B", "bytes")
KiB = _unit("KiB", "kibibytes (1024 bytes)")
MiB = _unit("MiB", "mebibytes (1024 KiB)")
GiB = _unit("GiB", "gibibytes (1024 MiB)")
TiB = _unit("TiB", "tebibytes (1024 GiB)")
kB = _unit("kB", "kilobytes (1000 bytes)")
MB = _unit("MB", "megabytes (1000 kB)")
GB = _unit("GB", "gigabytes (1000 MB)")
TB = _unit("TB", "terabytes (1000 GB)")
ns = _unit("ns", "nanoseconds")
us = _unit("us", "microseconds")
ms = _unit("ms", "milliseconds")
s = _unit("s", "seconds")
min = _unit("min", "minutes")
h = _unit("h", "hours")
per_second = _unit("/s", "a second")
kB_per_s = _unit("kB/s", "kilobytes a second")
MB_per_s = _unit("MB/s", "megabytes a second")
GB_per_s = _unit("GB/s", "gigabytes a second")
KiB_per_s = _unit("KiB/s", "kibibytes a second")
MiB_per_s = _unit("MiB/s", "mebibytes a second")
GiB_per_s = _unit("GiB/s", "gibibytes a second")
Mbit_per_s = _unit("Mbit/s", "megabits a second")
Gbit_per_s = _unit("Gbit/s", "gigabits a second")
rpm = _unit("rpm", "turns a minute")
percent = _unit("%", "in a hundred")
