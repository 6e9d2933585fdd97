#!/usr/bin/env python3
"""Checks that READMEs under validation/ have the figures that petrio prints.

    scripts/readme-figures.py [PETRIO] [--data DIR]

A table or a list that begins behind `<!-- printed by: ARGUMENTS -->` has no number that `petrio ARGUMENTS` doesn't print, rounded to as
many digits. `{data}` in the arguments stands for DIR, the folder of measurements; without it, such commands are skipped by name.
PETRIO is the program; left out, target/release/petrio. Ends with 1 where a figure isn't printed.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARK = re.compile(r"^<!-- printed by: (.*) -->$")
NUMBER = re.compile(r"(?<![\w.])[+−-]?\d[\d,]*(?:\.\d+)?(?![\w.]*\d)")
# Exit codes of a validation: all holds, something misses, only what is known to miss does.
JUDGED = (0, 1, 3)


def numbers(text):
    """The numbers of a text as they stand there, without their signs and separators."""
    return [found.lstrip("+−-").replace(",", "") for found in NUMBER.findall(text)]


def digits(number):
    """How many stand behind the point."""
    return len(number.partition(".")[2])


def blocks(readme):
    """Each marked block of a README: its first line's number, the arguments, and its text."""
    lines = readme.read_text(encoding="utf-8").splitlines()
    for at, line in enumerate(lines):
        mark = MARK.match(line)
        if not mark:
            continue
        begin = at + 1
        while begin < len(lines) and not lines[begin]:
            begin += 1
        end = begin
        while end < len(lines) and lines[end]:
            end += 1
        yield begin + 1, mark.group(1), lines[begin:end]


def cells(lines):
    """A table without its names: the first column of each row but the headings, which are words."""
    if not lines[0].startswith("|"):
        return "\n".join(lines)
    rows = [line.strip("|").split("|")[1:] for line in lines[2:]]
    return "\n".join(" | ".join(row) for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("petrio", nargs="?", default=str(ROOT / "target/release/petrio"))
    parser.add_argument("--data", type=Path, help="the folder of measurements")
    asked = parser.parse_args()
    printed, failed, checked = {}, 0, 0
    for readme in sorted(ROOT.glob("validation/*/README.md")):
        name = readme.relative_to(ROOT)
        for line, arguments, text in blocks(readme):
            if "{data}" in arguments and asked.data is None:
                print(f"skipped: {name}:{line}: petrio {arguments} needs --data")
                continue
            if arguments not in printed:
                command = [asked.petrio, *arguments.replace("{data}", str(asked.data)).split()]
                ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
                if ran.returncode not in JUDGED:
                    print(f"{name}:{line}: petrio {arguments} ended with {ran.returncode}: {ran.stderr[-500:]}")
                    return 1
                printed[arguments] = [float(number) for number in numbers(ran.stdout)]
            told = printed[arguments]
            for number in numbers(cells(text)):
                checked += 1
                half = 0.5 * 10 ** -digits(number) * (1 + 1e-9)
                if not any(abs(value - float(number)) <= half for value in told):
                    print(f"{name}:{line}: {number} isn't among what petrio {arguments} prints")
                    failed += 1
    print(f"{checked} figures of READMEs looked at, {failed} of them aren't printed")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
