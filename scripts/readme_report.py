#!/usr/bin/env python3
"""Keeps the README's sample report equal to what the example prints.

    scripts/readme_report.py write report.txt    puts the report between the README's markers
    scripts/readme_report.py check report.txt    fails if the README shows another one

The way to the HTML page differs from run to run and isn't compared.
"""

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
BEGIN, END = "<!-- report: begin -->\n", "<!-- report: end -->\n"
COMMAND = "$ petrio run examples/mail-server.toml --html mail-server.html\n"
VOLATILE = [
    (re.compile(r"\S*/([\w-]+\.html)"), r"\1"),
]


def settled(text):
    """The report without what differs from run to run, blanks at line ends taken away."""
    for pattern, replacement in VOLATILE:
        text = pattern.sub(replacement, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def split(readme):
    """The README before, between and after the markers."""
    before, found, rest = readme.partition(BEGIN)
    between, found_end, after = rest.partition(END)
    if not found or not found_end:
        sys.exit(f"{README.name}: the markers {BEGIN.strip()} and {END.strip()} are missing")
    return before, between, after


def sample(report):
    """The report as the README shows it: page named without its folder, no blanks at line ends."""
    lines = [VOLATILE[0][0].sub(VOLATILE[0][1], line).rstrip() for line in report.strip("\n").split("\n")]
    return "```console\n" + COMMAND + "\n".join(lines) + "\n```\n"


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("write", "check"):
        sys.exit(__doc__)
    report = Path(sys.argv[2]).read_text(encoding="utf-8")
    before, shown, after = split(README.read_text(encoding="utf-8"))
    if sys.argv[1] == "write":
        temporary = README.with_suffix(".new")
        temporary.write_text(before + BEGIN + sample(report) + END + after, encoding="utf-8")
        temporary.replace(README)
    elif settled(shown) != settled(sample(report)):
        sys.exit(
            "README.md shows a report that the example no longer prints\n"
            "  help: target/release/petrio run examples/mail-server.toml --html target/mail-server.html > report.txt"
            " && scripts/readme_report.py write report.txt"
        )


if __name__ == "__main__":
    main()
