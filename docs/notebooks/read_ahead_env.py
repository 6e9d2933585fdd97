"""A Gymnasium environment: how far ahead of a reader should one read?

A program reads a file in order, and thinks in between. Whoever acts chooses how far ahead the file is asked for: too little, and the reader
waits for the disk; too much, and what is read ahead is in the way of another program's random reads. The reward is what was read, less what
the other had to wait.

    pip install '.[plot]' gymnasium
    python docs/notebooks/read_ahead_env.py
"""

from __future__ import annotations

import gymnasium
import numpy

import petrio

SCENARIO = """
title = "A reader in order beside random reads"
[disk.d]
model = "seagate-cheetah-9lp"
[workload.w]
kind = "synthetic"
on = "d"
requests = 1
generators = [{ read_fraction = 1, time_critical_fraction = 0, inter_arrival = { constant = "1 s" }, size = "4 KiB" }]
"""

#: Bytes of a step of the reader.
RECORD = 64 << 10
#: How far ahead may be read, in records.
AHEAD = (0, 1, 2, 4, 8, 16)
#: Seconds of thought after each record.
THINK = 0.002
#: Records of an episode.
RECORDS = 200


class ReadAhead(gymnasium.Env):
    """One step is one record of the reader; the action is how far ahead is asked for from then on."""

    metadata: dict = {"render_modes": []}

    def __init__(self) -> None:
        self.action_space = gymnasium.spaces.Discrete(len(AHEAD))
        #: How long the last record took, how long the other's last read took (ms), how far ahead is read (records).
        self.observation_space = gymnasium.spaces.Box(0.0, numpy.inf, (3,), dtype=numpy.float32)

    def reset(self, *, seed: int | None = None, options: dict | None = None):
        super().reset(seed=seed)
        self.engine = petrio.Engine(SCENARIO, seed=seed or 1)
        self.reader, self.other = self.engine.program("d"), self.engine.program("d")
        self.record = self.asked = 0
        self.here: set[int] = set()
        self.reading: dict[int, int] = {}
        self.others = self.other.read(offset=self._anywhere(), length=4096)
        self.took_other = 0.0
        return self._seen(0.0, 0), {}

    def step(self, action: int):
        ahead = AHEAD[int(action)]
        began, waited = self.engine.now, 0.0
        while self.asked <= self.record + ahead:
            self.reading[self.reader.read(offset=self.asked * RECORD, length=RECORD)] = self.asked
            self.asked += 1
        while self.record not in self.here:
            waited += self._advance(None)
        took = self.engine.now - began
        self.here.discard(self.record)
        self.record += 1
        until = self.engine.now + THINK
        while self.engine.now < until:
            waited += self._advance(until)
        # Milliseconds of the reader, and what the other waited meanwhile.
        reward = -(took + 0.5 * waited) * 1e3
        return self._seen(took, ahead), reward, self.record >= RECORDS, False, {"now": self.engine.now}

    def _advance(self, until: float | None) -> float:
        """Goes on, and says how long the other program waited for what came back."""
        waited = 0.0
        for done in self.engine.advance(until):
            if done.ticket == self.others:
                waited, self.took_other = done.took, done.took
                self.others = self.other.read(offset=self._anywhere(), length=4096, at=done.at + 0.02)
            else:
                self.here.add(self.reading.pop(done.ticket))
        return waited

    def _anywhere(self) -> int:
        return int(self.np_random.integers(1 << 20, 2 << 20)) * 4096

    def _seen(self, took: float, ahead: int):
        return numpy.array([took * 1e3, self.took_other * 1e3, ahead], dtype=numpy.float32)


def episode(choose, seed: int = 1) -> tuple[float, float]:
    """What an episode gives where `choose` acts; and its model time, seconds."""
    env = ReadAhead()
    seen, _ = env.reset(seed=seed)
    total, ended, told = 0.0, False, {"now": 0.0}
    while not ended:
        seen, reward, ended, _, told = env.step(choose(seen))
        total += reward
    return total, told["now"]


def learnt(episodes: int = 12, seed: int = 1) -> int:
    """The action that a bandit without context comes to like best."""
    chance = numpy.random.default_rng(seed)
    worth, tried = numpy.zeros(len(AHEAD)), numpy.zeros(len(AHEAD))
    for number in range(episodes):
        action = number if number < len(AHEAD) else int(worth.argmax()) if chance.random() > 0.2 else int(chance.integers(len(AHEAD)))
        reward, _ = episode(lambda _: action, seed=seed + number)
        tried[action] += 1
        worth[action] += (reward - worth[action]) / tried[action]
    return int(worth.argmax())


if __name__ == "__main__":
    for action, ahead in enumerate(AHEAD):
        reward, time = episode(lambda _, action=action: action)
        print(f"{ahead:3} records ahead: reward {reward:8.0f}, {time:.2f} s")
    print(f"a bandit comes to like {AHEAD[learnt()]} records ahead")
