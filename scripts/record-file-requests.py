#!/usr/bin/env python3
"""Records what a command reads, writes and syncs, as captured file requests for petrio.

    scripts/record-file-requests.py --under /srv/data --output requests.csv.xz -- my-program its-arguments

Uses strace, which slows the command down: think times come out longer than they are, which the heading
says. Only files below --under are kept. Replay with `kind = "file-trace"`. The command's own exit status
becomes this program's.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from file_requests import CALLS, convert, write_requests  # noqa: E402


def fail(cause, advice):
    """Ends with what went wrong and what to do about it."""
    print(f"record-file-requests: {cause}\n  help: {advice}", file=sys.stderr)
    sys.exit(2)


def main():
    """Runs the command under strace and writes what it did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--under", required=True, type=Path, help="the directory whose files are recorded")
    parser.add_argument("--output", required=True, type=Path, help="where to; .gz, .xz or .zst compresses it")
    parser.add_argument("command", nargs="+", help="what to run, behind --")
    options = parser.parse_args()
    under = options.under.resolve()
    if not under.is_dir():
        fail(f"{options.under} is not a directory", "name the one that holds the program's files")
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "strace.txt"
        call = ["strace", "-f", "-ttt", "-T", "-y", "-s", "0", "-e", f"trace={','.join(CALLS)}", "-o", str(log)]
        try:
            status = subprocess.run([*call, "--", *options.command], check=False).returncode
        except FileNotFoundError:
            fail("strace is missing", "install it: apt-get install strace")
        with open(log, encoding="utf-8", errors="replace") as lines:
            found = convert(lines, str(under))
    if not found.requests:
        fail(f"the command read and wrote nothing below {under}", "is that where its files are?")
    write_requests(options.output, found, options.command)
    print(f"record-file-requests: {len(found.requests)} requests on {len(found.files)} files", file=sys.stderr)
    if found.unread:
        print(f"record-file-requests: {found.unread} calls without a place in a file were left out", file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    main()
