#!/usr/bin/env python3
"""Records the block requests that a command makes on one device, as a petrio block trace.

    sudo scripts/record-block-trace.py --device /dev/sdb --output trace.csv.gz -- make -j4

The device may be a whole disk or a partition; addresses count from its start. Uses ftrace
through tracefs, in an instance of its own, so that nobody else's tracing is touched and
nothing is left behind when it ends, however it ends. Needs root, a mounted tracefs, and a
kernel with CONFIG_BLK_DEV_IO_TRACE or another tracer that brings the block events.
The command's own exit status becomes this program's, unless the recording is worthless.
"""

import argparse
import os
import select
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from block_events import EVENTS, BadEvent, Matcher  # noqa: E402
from block_trace_csv import write_trace  # noqa: E402

TRACEFS_PLACES = ("/sys/kernel/tracing", "/sys/kernel/debug/tracing")
BUFFER_KIB_PER_PROCESSOR = 32 * 1024
DRAIN_SECONDS = 10


def fail(cause, advice):
    """Ends with what went wrong and what to do about it."""
    print(f"record-block-trace: {cause}\n  help: {advice}", file=sys.stderr)
    sys.exit(2)


class Device:
    """A block device: its number as the kernel's filters write it, and the window recorded."""

    def __init__(self, path):
        try:
            mode = os.stat(path)
        except OSError as error:
            fail(f"{path}: {error.strerror}", "name a block device; `lsblk` lists them")
        if not stat.S_ISBLK(mode.st_mode):
            fail(f"{path} is not a block device", "name the device that holds the file system; `df FILE` shows it")
        sysfs = Path(f"/sys/dev/block/{os.major(mode.st_rdev)}:{os.minor(mode.st_rdev)}").resolve()
        self.first = int((sysfs / "start").read_text()) if (sysfs / "partition").exists() else 0
        self.sectors = int((sysfs / "size").read_text())
        # Requests are reported under the whole disk, bios under the partition before remapping.
        disk = sysfs.parent if (sysfs / "partition").exists() else sysfs
        numbers = {(disk / "dev").read_text().strip(), (sysfs / "dev").read_text().strip()}
        self.numbers = [int(major) << 20 | int(minor) for major, minor in (n.split(":") for n in numbers)]

    def filter(self):
        """The event filter that lets only this device's events pass."""
        return " || ".join(f"dev == {number}" for number in self.numbers)


def find_tracefs():
    """The directory of a usable tracefs, or the end of the program."""
    if os.geteuid() != 0:
        fail("tracing the block layer needs root", "run it with sudo; the command can drop to a user by itself")
    for place in map(Path, TRACEFS_PLACES):
        if (place / "instances").is_dir():
            missing = [event for event in EVENTS if not (place / "events/block" / event).is_dir()]
            if missing:
                fail(
                    f"this kernel has no event block/{missing[0]}",
                    "use a kernel with CONFIG_TRACING and CONFIG_BLOCK; `ls events/block` in tracefs shows what there is",
                )
            return place
    fail("no tracefs is mounted", f"mount -t tracefs nodev {TRACEFS_PLACES[0]}")


class Instance:
    """A private ftrace buffer with the block events on; removing it undoes everything."""

    def __init__(self, tracefs, device):
        self.path = tracefs / "instances" / f"petrio-{os.getpid()}"
        self.path.mkdir()
        try:
            (self.path / "trace_clock").write_text("mono")
            (self.path / "buffer_size_kb").write_text(str(BUFFER_KIB_PER_PROCESSOR))
            for event in EVENTS:
                (self.path / "events/block" / event / "filter").write_text(device.filter())
                (self.path / "events/block" / event / "enable").write_text("1")
        except OSError as error:
            self.remove()
            fail(f"tracefs refused: {error}", "see whether another tracer or a lockdown policy holds it")

    def events_off(self):
        """Stops recording, keeping what is in the buffer to be read."""
        (self.path / "events/enable").write_text("0")

    def overrun(self):
        """Events that the kernel overwrote or dropped because nobody read them in time."""
        lost = 0
        for processor in self.path.glob("per_cpu/cpu*/stats"):
            for line in processor.read_text().splitlines():
                name, _, count = line.partition(":")
                if name in ("overrun", "dropped events"):
                    lost += int(count)
        return lost

    def remove(self):
        """Removes the instance, and with it its buffers, filters and enabled events."""
        if self.path.is_dir():
            (self.path / "events/enable").write_text("0")
            for _ in range(20):  # a reader that is just closing keeps it busy for a moment
                try:
                    self.path.rmdir()
                    return
                except OSError:
                    time.sleep(0.1)
            print(f"record-block-trace: remove {self.path} by hand (rmdir)", file=sys.stderr)


class Reader(threading.Thread):
    """Copies the instance's trace pipe into a file until told to stop and the pipe is empty."""

    def __init__(self, instance, raw_file):
        super().__init__(daemon=True)
        self.pipe = os.open(instance.path / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
        self.raw_file = raw_file
        self.stopping = threading.Event()

    def run(self):
        while True:
            select.select([self.pipe], [], [], 0.1)
            try:
                data = os.read(self.pipe, 1 << 20)
            except BlockingIOError:
                data = b""
            if data:
                self.raw_file.write(data)
            elif self.stopping.is_set():
                os.close(self.pipe)
                self.raw_file.flush()
                return


def wait_until_idle(device):
    """Waits until the device has nothing in flight, so that the last requests get their end."""
    counts = [Path(f"/sys/dev/block/{n >> 20}:{n & 0xFFFFF}/inflight") for n in device.numbers]
    end = time.monotonic() + DRAIN_SECONDS
    while time.monotonic() < end:
        if all(set(count.read_text().split()) == {"0"} for count in counts if count.exists()):
            return
        time.sleep(0.05)


def record(device, command, raw_path):
    """Runs the command with the events on; gives its exit status and the kernel's count of lost events."""
    instance = Instance(find_tracefs(), device)
    try:
        with open(raw_path, "wb") as raw_file:
            reader = Reader(instance, raw_file)
            reader.start()
            try:
                status = run_command(command)
                wait_until_idle(device)
            finally:
                instance.events_off()
                reader.stopping.set()
                reader.join()
            return status, instance.overrun()
    finally:
        instance.remove()


def run_command(command):
    """The command's exit status; an interrupt ends the command, and what it did until then is kept."""
    try:
        return subprocess.run(command, check=False).returncode
    except (FileNotFoundError, PermissionError) as error:
        fail(f"{command[0]}: {error.strerror}", "give the command after `--`, as in: … -- make -j4")
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def convert(raw_path, window):
    """Matches the recorded events; gives the window's requests and the matcher's tally."""
    matcher = Matcher()
    with open(raw_path, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            try:
                matcher.feed(line)
            except BadEvent as error:
                fail(f"{raw_path}:{number}: {error}", "the kernel's event format may have changed; see block_events.py")
    requests, outside = [], 0
    for request in matcher.finish():
        if request.direction != "flush":
            request.address -= window[0]
            if request.address < 0 or request.address + request.blocks > window[1]:
                outside += 1
                continue
        requests.append(request)
    return requests, matcher.tally, outside


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", help="block device to record, such as /dev/sdb or /dev/sdb1")
    parser.add_argument("--output", required=True, help="trace to write; .gz, .xz or .zst compresses it")
    parser.add_argument("--title", default="", help="one line for the head of the trace: what was recorded")
    parser.add_argument("--raw", help="keep the kernel's events in this file")
    parser.add_argument("--from-raw", metavar="FILE", help="convert events kept earlier; needs neither root nor device")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="-- the command to run and to record")
    arguments = parser.parse_args()
    command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command

    # Let `finally` run when a terminal closes or a service manager ends us.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _frame: sys.exit(128 + received))

    if arguments.from_raw:
        raw_path, window, status, overrun = arguments.from_raw, (0, 1 << 63), 0, 0
    else:
        if not arguments.device or not command:
            parser.error("give --device and, after --, the command to record (or --from-raw)")
        device = Device(arguments.device)
        window = (device.first, device.sectors)
        raw_path = arguments.raw or f"{arguments.output}.{os.getpid()}.events"
    try:
        if not arguments.from_raw:
            status, overrun = record(device, command, raw_path)
        requests, tally, outside = convert(raw_path, window)
    finally:
        if not arguments.from_raw and not arguments.raw and os.path.exists(raw_path):
            os.unlink(raw_path)
    lost = max(tally.lost, overrun)
    talk = [f"{len(requests)} requests from {tally.events} events; lost events: {lost}"]
    for count, what in (
        (tally.failed, "failed on the device (kept)"),
        (tally.unfinished, "still in flight at the end (left out)"),
        (tally.unmatched_completions, "completed but begun before the recording (left out)"),
        (tally.other_commands, "discards and other commands (left out)"),
        (outside, "outside the partition (left out)"),
    ):
        if count:
            talk.append(f"{count} {what}")
    print("record-block-trace: " + "; ".join(talk), file=sys.stderr)
    if not requests:
        fail("nothing to write", "the command made no requests on this device; its data may be in the page cache")
    write_trace(arguments.output, arguments.title, requests)
    if lost:
        fail(
            f"{lost} events were lost, so the trace has holes",
            "raise BUFFER_KIB_PER_PROCESSOR in this script, or record a quieter command",
        )
    sys.exit(status)


if __name__ == "__main__":
    main()
