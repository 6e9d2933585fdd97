"""Engines: what is submitted comes back when the model says; forks and checkpoints go on as the one would have."""

import pytest

import petrio

FILES = """
title = "files"
[disk.d]
model = "seagate-cheetah-9lp"
[host.h]
machine = "poweredge-1850"
kernel = "linux-2.6.24"
[fs.data]
type = "ext3"
on = "d"
[workload.w]
kind = "script"
on = "data"
script = "file table 1 MiB; read table 0 4 KiB"
"""


def test_a_log_that_is_made_durable_takes_turns_of_the_platter():
    engine = petrio.Engine(FILES)
    assert engine.file_systems == ["data"] and "table" in engine.files("data")[0]
    writer = engine.program("data")
    writer.create("log")
    records, kind = 0, "create"
    while engine.now < 1.0:
        [done] = engine.advance()
        assert done.status in ("done", "from-cache")
        if kind == "write":
            kind, _ = "fsync", writer.fsync("log")
        else:
            kind, _ = "write", writer.write("log", offset=512 * records, length=512)
            records += 1
    # Of 10,000 turns a minute 6 ms each; a commit of ext3's takes several.
    assert 30 < records < 120


def test_devices(disk):
    engine = petrio.Engine(disk)
    assert engine.devices == ["d"] and engine.file_systems == []
    reader = engine.program("d")
    tickets = [reader.read(offset=at * 100 << 20, length=4096, at=at * 0.1) for at in range(5)]
    back = []
    while engine.under_way:
        back += engine.advance()
    assert [done.ticket for done in back] == tickets
    for done in back:
        # A seek and a turn at the most, and no less than the data take.
        assert 0.0001 < done.took < 0.03 and done.bytes == 4096
        assert sum(done.causes.values()) == pytest.approx(done.took, rel=1e-6)
    with pytest.raises(petrio.PetrioError, match="sectors"):
        reader.read(offset=1, length=4096)
    with pytest.raises(petrio.PetrioError, match="for files"):
        reader.submit("fsync")
    with pytest.raises(petrio.PetrioError, match="no device"):
        engine.program("e").read(length=512)


def test_forks_and_checkpoints_go_on_as_the_one_would_have(disk):
    engine = petrio.Engine(disk)
    program = engine.program("d")

    def on(engine, count):
        process, times = program.in_(engine), []
        for at in range(count):
            process.read(offset=(at * 37 % 101) << 20, length=8192)
            times += [done.at for done in engine.advance()]
        return times

    on(engine, 3)
    saved, fork = engine.checkpoint(), engine.fork()
    expected = on(engine, 5)
    assert on(fork, 5) == expected
    engine.restore(saved)
    assert on(engine, 5) == expected
    slow = petrio.Engine(disk)
    slow.set_speed("d", 0.5)
    with pytest.raises(petrio.PetrioError, match="no page"):
        slow.set_speed("nothing", 2.0)
    with pytest.raises(petrio.PetrioError, match="positive"):
        slow.set_speed("d", 0.0)


def test_who_waits_until_a_time_comes_to_it(disk):
    engine = petrio.Engine(disk)
    until = 0.0
    for step in (0.002, 1 / 3, 1e-7, 0.1, 2 / 7e5):
        until = engine.now + step
        assert engine.advance(until) == [] and until <= engine.now < until + 2e-12


def test_what_cannot_be(disk):
    engine = petrio.Engine(FILES)
    program = engine.program("data")
    with pytest.raises(petrio.PetrioError, match="has no file"):
        program.read("none", length=1)
    with pytest.raises(petrio.PetrioError, match="no operation"):
        program.submit("think", "table")
    with pytest.raises(petrio.PetrioError, match="model time"):
        program.create("x", at=-1.0)
    program.create("x")
    engine.advance()
    with pytest.raises(petrio.PetrioError, match="already"):
        program.create("x")
    with pytest.raises(petrio.RunError):
        program.fsync("x", at=0.0) if engine.now > 0 else engine._inside.advance(-1.0)
