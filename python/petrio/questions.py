"""What a search asks: configurations with their costs, targets, and what was measured of each."""

from __future__ import annotations

import ast
import math
import operator
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _petrio
from .scenario import Scenario
from .sweeps import _values

#: Configurations that a space may have: each is listed with its cost before the first run.
CASES_MAX = 1_000_000
#: Student's t of 90 % (two-sided) by degrees of freedom; of more, the normal's.
T90 = [math.inf, 6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812]

Cost = Callable[[Mapping[str, Any]], float]


@dataclass(frozen=True)
class Target:
    """What a configuration has to keep, such as ``p99-latency <= 20 ms``."""

    text: str
    measure: str
    unit: str
    at_most: bool
    limit: float

    @classmethod
    def read(cls, text: str) -> Target:
        """From its text.

        Raises:
            PetrioError: no comparison of a measure and a limit in its unit.
        """
        found = re.fullmatch(r"\s*(\S+)\s*(<=|>=|<|>)\s*(.+?)\s*", text)
        if not found:
            raise _petrio.PetrioError(f'the target "{text}" is no comparison\n help: write for example "p99-latency <= 20 ms" or "rate >= 4000 /s"')
        asked, relation, limit = found.groups()
        measure, unit = _petrio.measure(asked)
        return cls(text, measure, unit, relation.startswith("<"), _petrio.in_unit_of(measure, limit))

    def excess(self, value: float) -> float:
        """By which factor, as a logarithm, a value lies beyond the limit; negative where it keeps it."""
        if value <= 0:
            return -math.inf if self.at_most else math.inf
        return math.log(value / self.limit) if self.at_most else math.log(self.limit / value)


@dataclass
class Candidate:
    """A configuration that was looked at."""

    case: int
    values: dict[str, str]
    cost: float
    #: Of each replication, the value of each target's measure.
    figures: list[list[float | None]] = field(default_factory=list)
    #: Whether it keeps all targets; nothing where that was never asked.
    holds: bool | None = None
    #: Why it is no scenario.
    impossible: str | None = None

    def mean(self, at: int) -> float | None:
        """The mean of a target's measure."""
        values = [row[at] for row in self.figures if row[at] is not None]
        return sum(values) / len(values) if values else None

    def half_width(self, at: int) -> float:
        """Half the 90 % interval of that."""
        values = [row[at] for row in self.figures if row[at] is not None]
        count = len(values)
        if count < 2:
            return math.inf
        mean = sum(values) / count
        deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1))
        return (T90[count - 1] if count - 1 < len(T90) else 1.645) * deviation / math.sqrt(count)


class Question:
    """What is searched: the configurations with their costs, and the targets."""

    def __init__(self, scenario: Scenario, space: Mapping[str, Any], targets: Sequence[str], cost: Cost | str | None, prices: Mapping[str, Mapping[str, float]], where: Sequence[str], seed: int | None) -> None:
        self.scenario = scenario
        self.targets = [Target.read(text) for text in targets]
        if not self.targets:
            raise _petrio.PetrioError('nothing has to be kept\n help: name a target, for example "p99-latency <= 20 ms"')
        self.keys = list(space)
        varied = [f"{path}={_values(values)}" for path, values in space.items()]
        self.plan = _petrio.Plan(scenario._inside, varied, constraints=list(where), seed=seed, measures=[target.measure for target in self.targets])
        if self.plan.count > CASES_MAX:
            raise _petrio.PetrioError(f"{self.plan.count:,} configurations are more than {CASES_MAX:,}\n help: give keys fewer values; lin(LOW, HIGH, NUMBER) and log() take few of many")
        self.places = [self.plan.measures.index(target.measure) for target in self.targets]
        price = cost if callable(cost) or cost is None else Formula(cost, self.keys, prices)
        if cost is None and prices:
            raise _petrio.PetrioError("prices are of a formula's keys, and there is no formula\n help: give one with --cost, or the scenario the prices of its parts")
        self.cases: dict[int, dict[str, str]] = {}
        self.costs: dict[int, float] = {}
        for case in range(self.plan.count):
            values = self.plan.values(case)
            if values is not None:
                named = dict(zip(self.keys, values))
                try:
                    self.costs[case] = float(price(named) if price else self.plan.cost(case))
                except _petrio.ScenarioError:
                    # One that is no scenario costs nothing that could be compared, and is never run.
                    continue
                self.cases[case] = named
        if not self.cases:
            raise _petrio.PetrioError("no case is left: --where leaves out all\n help: say less with it")
        #: The values of each key, in their order.
        self.levels = [list(dict.fromkeys(values[key] for values in self.cases.values())) for key in self.keys]
        self.of_values = {tuple(values.values()): case for case, values in self.cases.items()}

    def is_ordered(self, at: int) -> bool:
        """Whether a key's values are quantities in order."""
        numbers = [_petrio.quantity(level) for level in self.levels[at]]
        return None not in numbers and (numbers == sorted(numbers) or numbers == sorted(numbers, reverse=True))

    def excess(self, one: Candidate) -> float:
        """By how much a candidate misses its targets, the worst."""
        values = [(target, one.mean(at)) for at, target in enumerate(self.targets)]
        return max((math.inf if value is None else target.excess(value)) for target, value in values)

    def is_sure(self, one: Candidate) -> bool:
        """Whether no target's limit lies in the interval of its measure."""
        for at, target in enumerate(self.targets):
            mean, half = one.mean(at), one.half_width(at)
            if mean is not None and not abs(mean - target.limit) > half:
                return False
        return True

    def command(self, one: Candidate) -> str:
        """The command that runs it."""
        words = ["petrio", "run", os.fspath(self.scenario.path)]
        for setting in [*self.scenario.settings, *(f"{key}={value}" for key, value in one.values.items())]:
            words += ["--set", setting]
        return shlex.join(words)


class Formula:
    """A cost as a formula of keys: ``disk.d.model * disk.d.count + 600``, a key with prices standing for that of its value."""

    _operators: dict[type, Callable[[float, float], float]] = {
        ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Pow: operator.pow,
    }
    _functions: dict[str, Callable[..., float]] = {"min": min, "max": max, "ceil": math.ceil}

    def __init__(self, text: str, keys: Sequence[str], prices: Mapping[str, Mapping[str, float]]) -> None:
        self.text, self.keys, self.prices = text, list(keys), {key: dict(of) for key, of in prices.items()}
        for key in self.prices:
            if key not in self.keys:
                raise _petrio.PetrioError(f"{key} has prices, and isn't searched\n help: it has {', '.join(self.keys)}")
        try:
            # A key's numbers (generators.0.size) are no names in a formula of Python's.
            self._tree = ast.parse(re.sub(r"\.(\d+)\b(?=[.\w])", r"._\1", text), mode="eval").body
        except SyntaxError as wrong:
            raise self._wrong(wrong.msg) from None

    def _wrong(self, why: str) -> _petrio.PetrioError:
        return _petrio.PetrioError(f'the cost "{self.text}": {why}\n help: a formula of keys, such as disk.d.model * disk.d.count + 600')

    def __call__(self, values: Mapping[str, Any]) -> float:
        return self._of(self._tree, values)

    def _of(self, node: ast.AST, values: Mapping[str, Any]) -> float:
        match node:
            case ast.Constant(value=int() | float() as number):
                return number
            case ast.BinOp(left=left, op=op, right=right) if type(op) in self._operators:
                return self._operators[type(op)](self._of(left, values), self._of(right, values))
            case ast.UnaryOp(op=ast.USub(), operand=of):
                return -self._of(of, values)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in self._functions:
                return self._functions[name](*(self._of(arg, values) for arg in args))
            case ast.Name() | ast.Attribute():
                return self._key(ast.unparse(node).replace("._", "."), values)
        raise self._wrong(f"{ast.unparse(node)} is neither a number, a key, nor +, -, *, /, **, min, max or ceil of these")

    def _key(self, key: str, values: Mapping[str, Any]) -> float:
        if key not in values:
            raise self._wrong(f"{key} isn't searched; it has {', '.join(self.keys)}")
        value = str(values[key])
        if key in self.prices:
            if value not in self.prices[key]:
                raise _petrio.PetrioError(f"{key} = {value} has no price\n help: there are prices of {', '.join(self.prices[key])}")
            return float(self.prices[key][value])
        number = _petrio.quantity(value)
        if number is None:
            raise _petrio.PetrioError(f"{key} = {value} is no number, and has no price\n help: give one for each of its values")
        return number
