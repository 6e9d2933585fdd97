"""Search: the cheapest configuration that keeps its targets. Optuna proposes; petrio runs, and leaves out what can't win.

What a configuration costs is known before it is run. So one that costs no less than the best that is known to keep the targets isn't run at
all, whatever the sampler thinks of it, and every run goes to one that would be better if it held. Whether it does is asked of a replication at
a time: of one that is far from a target one is enough, of one that is near as many as it takes, or as there may be.
"""

from __future__ import annotations

import ast
import html as _html
import json
import math
import operator
import os
import random
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _petrio
from .report import Page
from .scenario import Scenario, ScenarioLike
from .sweeps import _values

#: Runs at most, replications among them.
RUNS = 150
#: Replications of a configuration at most.
REPLICATIONS = 5
#: Configurations that a space may have: each is listed with its cost before the first run.
CASES_MAX = 1_000_000
#: Proposals that are drawn before the sampler learns.
STARTUP = 12
#: As far from a target as the sampler is told, as the logarithm of a factor.
FAR = 10.0
#: So often in a row the sampler may propose what isn't worth a run, before one of those that are is taken by chance.
IDLE = 6
#: Student's t of 90 % (two-sided) by degrees of freedom; of more, the normal's.
T90 = [math.inf, 6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812]

Cost = Callable[[Mapping[str, Any]], float]


@dataclass(frozen=True)
class Target:
    """What a configuration has to keep, such as ``p99-latency <= 20 ms``."""

    text: str
    measure: str
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
        measure, relation, limit = found.groups()
        return cls(text, measure, relation.startswith("<"), _petrio.in_unit_of(measure, limit))

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


class Search(Page):
    """What a search found."""

    def __init__(self, question: Question, candidates: list[Candidate], runs: int, all_tried: bool) -> None:
        self._question, self.runs = question, runs
        #: Whether every configuration that is cheaper than the best was run.
        self.all_tried = all_tried
        #: All that were run, the cheapest first.
        self.candidates = sorted(candidates, key=lambda one: (one.cost, one.case))

    @property
    def best(self) -> Candidate | None:
        """The cheapest that keeps the targets; nothing where none was found."""
        return next((one for one in self.candidates if one.holds), None)

    @property
    def pareto(self) -> list[Candidate]:
        """Those of which no other is both cheaper and better in the first target, the cheapest first."""
        target, front = self._question.targets[0], []
        for one in self.candidates:
            value = one.mean(0)
            if value is not None and (not front or target.excess(value) < target.excess(front[-1].mean(0)) - 1e-12):
                front.append(one)
        return front

    @property
    def command(self) -> str | None:
        """The command that runs the best."""
        return self._question.command(self.best) if self.best else None

    @property
    def data(self) -> dict[str, Any]:
        """Everything, as ``--json`` writes it."""
        targets = self._question.targets
        shown = lambda one: {
            "values": one.values,
            "cost": one.cost,
            "holds": one.holds,
            "replications": len(one.figures),
            **{target.measure: one.mean(at) for at, target in enumerate(targets)},
            **({"impossible": one.impossible} if one.impossible else {}),
        }
        return {
            "scenario": os.fspath(self._question.scenario.path),
            "targets": [target.text for target in targets],
            "configurations": len(self._question.costs),
            "runs": self.runs,
            "all_cheaper_tried": self.all_tried,
            "best": shown(self.best) if self.best else None,
            "pareto": [shown(one) for one in self.pareto],
            "candidates": [shown(one) for one in self.candidates],
        }

    def why(self, one: Candidate) -> str:
        """Why a candidate lost."""
        if one.impossible:
            return one.impossible
        misses = [
            f"{target.measure} {one.mean(at):.4g} {_petrio_unit(target)}, {abs(one.mean(at) / target.limit - 1) * 100:.2g} % {'above' if target.at_most else 'below'} the limit"
            for at, target in enumerate(self._question.targets)
            if one.mean(at) is not None and target.excess(one.mean(at)) > 0
        ]
        if misses:
            return "; ".join(misses)
        if not one.holds:
            return "too near to a limit to be sure of it"
        return f"costs {one.cost - self.best.cost:,.6g} more" if self.best and one is not self.best else "the best"

    @property
    def text(self) -> str:
        """In words: the best, what keeps it from being cheaper, the front."""
        question, best = self._question, self.best
        lines = [f"Least cost that keeps {' and '.join(target.text for target in question.targets)}", ""]
        if best is None:
            nearest = min((one for one in self.candidates if one.figures), key=lambda one: question.excess(one), default=None)
            lines.append(f"  none was found in {self.runs} runs of {len(question.costs):,} configurations")
            if nearest:
                lines.append(f"  the nearest: {_settings(nearest)} at {nearest.cost:,.6g}: {self.why(nearest)}")
        else:
            lines.append(f"  {best.cost:,.6g}   {_settings(best)}")
            for at, target in enumerate(question.targets):
                lines.append(f"    {target.measure} {best.mean(at):.4g} ± {best.half_width(at):.2g} {_petrio_unit(target)} in {len(best.figures)} replications")
            tried = "every cheaper one was run and doesn't keep them" if self.all_tried else "cheaper ones were left that nobody ran"
            lines += [f"    found in {self.runs} runs of {len(question.costs):,} configurations; {tried}", f"    {self.command}", ""]
            losers = [one for one in self.candidates if one.cost <= best.cost * 1.1 and one is not best and one.figures]
            if losers:
                lines.append("  runners-up")
                lines += [f"    {one.cost:>10,.6g}   {_settings(one)}: {self.why(one)}" for one in losers[-8:]]
            lines += ["", f"  cost against {question.targets[0].measure}: nothing is better in both"]
            lines += [f"    {one.cost:>10,.6g}   {one.mean(0):>10.4g} {_petrio_unit(question.targets[0])}   {_settings(one)}" for one in self.pareto]
        return "\n".join(lines) + "\n"

    @property
    def html(self) -> str:
        """A page with the front as a plot and every candidate in a table."""
        return _page(self)

    def plot(self, axes: Any = None) -> Any:
        """Cost against the first target's measure, with matplotlib; its axes."""
        from matplotlib import pyplot

        axes = axes or pyplot.figure(layout="constrained").subplots()
        target = self._question.targets[0]
        for holds, colour in ((True, "tab:blue"), (False, "tab:orange")):
            shown = [one for one in self.candidates if bool(one.holds) is holds and one.mean(0) is not None]
            axes.scatter([one.cost for one in shown], [one.mean(0) for one in shown], color=colour, label="keeps the targets" if holds else "doesn't")
        axes.step([one.cost for one in self.pareto], [one.mean(0) for one in self.pareto], where="post", color="0.6", linewidth=1)
        axes.axhline(target.limit, color="0.3", linestyle="--", linewidth=1)
        axes.set(xlabel="cost", ylabel=f"{target.measure} ({_petrio_unit(target)})", yscale="log")
        axes.legend()
        return axes

    def __repr__(self) -> str:
        return f"<petrio.Search: {self.runs} runs, best {self.best.cost:,.6g}>" if self.best else f"<petrio.Search: {self.runs} runs, none keeps the targets>"


class Question:
    """What is searched: the configurations with their costs, and the targets."""

    def __init__(self, scenario: Scenario, space: Mapping[str, Any], targets: Sequence[str], cost: Cost | str, prices: Mapping[str, Mapping[str, float]], where: Sequence[str], seed: int | None) -> None:
        self.scenario = scenario
        self.targets = [Target.read(text) for text in targets]
        if not self.targets:
            raise _petrio.PetrioError('nothing has to be kept\n help: name a target, for example "p99-latency <= 20 ms"')
        self.keys = list(space)
        varied = [f"{path}={_values(values)}" for path, values in space.items()]
        self.plan = _petrio.Plan(scenario._inside, varied, constraints=list(where), seed=seed, measures=[target.measure for target in self.targets])
        if self.plan.count > CASES_MAX:
            raise _petrio.PetrioError(f"{self.plan.count:,} configurations are more than {CASES_MAX:,}\n help: give keys fewer values; lin(LOW, HIGH, NUMBER) and log() take few of many")
        self.places = [self.plan.measures.index(name) for name in self._names()]
        price = cost if callable(cost) else Formula(cost, self.keys, prices)
        self.cases: dict[int, dict[str, str]] = {}
        self.costs: dict[int, float] = {}
        for case in range(self.plan.count):
            values = self.plan.values(case)
            if values is not None:
                self.cases[case] = dict(zip(self.keys, values))
                self.costs[case] = float(price(self.cases[case]))
        if not self.cases:
            raise _petrio.PetrioError("no case is left: --where leaves out all\n help: say less with it")
        #: The values of each key, in their order.
        self.levels = [list(dict.fromkeys(values[key] for values in self.cases.values())) for key in self.keys]
        self.of_values = {tuple(values.values()): case for case, values in self.cases.items()}

    def _names(self) -> list[str]:
        known = {name: name for name in self.plan.measures}
        return [known.get(target.measure) or self.plan.measures[at] for at, target in enumerate(self.targets)]

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


def search(
    scenario: ScenarioLike,
    space: Mapping[str, Any],
    *,
    targets: Sequence[str],
    cost: Cost | str,
    prices: Mapping[str, Mapping[str, float]] | None = None,
    where: Sequence[str] = (),
    runs: int = RUNS,
    replications: int = REPLICATIONS,
    seed: int = 0,
    scenario_seed: int | None = None,
    storage: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int, float | None], None] | None = None,
) -> Search:
    """The cheapest configuration that keeps its targets.

    Args:
        scenario: What is bought, built or set.
        space: Values by path, as of :func:`petrio.sweep`.
        targets: What has to be kept: ``["p99-latency <= 20 ms", "rate >= 4000 /s"]``.
        cost: What is to be least: a formula of keys, such as ``"disk.d.model * disk.d.count + 600"``, or a function of a dict of values.
        prices: What a formula's keys stand for, by value: ``{"disk.d.model": {"hp-97560": 120, …}}``.
        where: What has to be true of a configuration, such as ``"disk.d.count >= 4"``.
        runs: How many runs at most; each replication is one.
        replications: Replications of a configuration at most.
        seed: Of the sampler's choices.
        scenario_seed: Of the runs; left out, the scenario's.
        storage: A file (Optuna's journal) from which a search that was killed goes on.
        progress: Told runs, of how many, and the least cost so far.

    Needs Optuna: ``pip install 'petrio[search]'``.
    """
    optuna = _optuna()
    question = Question(Scenario(scenario), space, targets, cost, prices or {}, where, scenario_seed)
    hunt = Hunt(optuna, question, seed, storage, replications)
    while hunt.runs < runs:
        case = hunt.proposed()
        if case is None:
            break
        hunt.asked(case, runs)
        if progress:
            progress(hunt.runs, runs, hunt.best and hunt.best.cost)
    return Search(question, list(hunt.known.values()), hunt.runs, not hunt.cheaper())


def _optuna() -> Any:
    try:
        import optuna
    except ImportError as missing:
        raise ImportError("a search needs Optuna: pip install 'petrio[search]'") from missing
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


class Hunt:
    """A search under way: what Optuna proposes, and what is known by now."""

    def __init__(self, optuna: Any, question: Question, seed: int, storage: str | os.PathLike[str] | None, replications: int) -> None:
        self.optuna, self.question, self.replications = optuna, question, replications
        self.known: dict[int, Candidate] = {}
        self.runs = 0
        self.best: Candidate | None = None
        self._chance = random.Random(seed)
        self._trial: Any = None
        import warnings

        warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=STARTUP)
        kept = None
        if storage is not None:
            from optuna.storages import JournalStorage
            from optuna.storages.journal import JournalFileBackend

            kept = JournalStorage(JournalFileBackend(os.fspath(storage)))
        name = "petrio " + json.dumps([os.fspath(question.scenario.path), question.levels, [target.text for target in question.targets], replications])
        self.study = optuna.create_study(direction="minimize", sampler=sampler, storage=kept, study_name=name if kept else None, load_if_exists=True)
        self.spaces = {
            key: optuna.distributions.IntDistribution(0, len(levels) - 1)
            if question.is_ordered(at)
            else optuna.distributions.CategoricalDistribution(list(range(len(levels))))
            for at, (key, levels) in enumerate(zip(question.keys, question.levels))
        }
        for trial in self.study.trials:
            self._taken_up(trial)

    def _taken_up(self, trial: Any) -> None:
        """A trial of a search that was killed."""
        figures = trial.user_attrs.get("figures")
        case = trial.user_attrs.get("case")
        if figures is not None and case in self.question.cases:
            one = Candidate(case, self.question.cases[case], self.question.costs[case], figures, trial.user_attrs.get("holds"), trial.user_attrs.get("impossible"))
            self._learnt(one)

    def _learnt(self, one: Candidate) -> None:
        self.runs += len(one.figures)
        self.known[one.case] = one
        if one.holds and (self.best is None or one.cost < self.best.cost):
            self.best = one

    def is_worth_it(self, case: int | None) -> bool:
        """Whether running a configuration could change what is best."""
        if case is None or case in self.known:
            return False
        return self.best is None or self.question.costs[case] < self.best.cost

    def cheaper(self) -> list[int]:
        """Those that could still be better."""
        return [case for case in self.question.cases if self.is_worth_it(case)]

    def proposed(self) -> int | None:
        """The next configuration to run; nothing where none could be better."""
        question = self.question
        for idle in range(IDLE + 1):
            if idle == IDLE:
                left = self.cheaper()
                if not left:
                    return None
                self.study.enqueue_trial(self._parameters(self._chance.choice(left)))
            trial = self.study.ask(self.spaces)
            values = tuple(question.levels[at][trial.params[key]] for at, key in enumerate(question.keys))
            case = question.of_values.get(values)
            if self.is_worth_it(case):
                self._trial = trial
                return case
            # Its cost is known, and too high; or it is known whole.
            self.study.tell(trial, state=self.optuna.trial.TrialState.PRUNED)
        return None

    def _parameters(self, case: int) -> dict[str, int]:
        values = self.question.cases[case]
        return {key: levels.index(values[key]) for key, levels in zip(self.question.keys, self.question.levels)}

    def asked(self, case: int, runs: int) -> None:
        """Runs a configuration until it is clear whether it keeps its targets, and tells the sampler."""
        question, trial = self.question, self._trial
        one = Candidate(case, question.cases[case], question.costs[case])
        most = min(self.replications, runs - self.runs)
        try:
            for number in range(most):
                [row] = question.plan.figures(case, number, number + 1)
                one.figures.append([row[place] for place in question.places])
                if number + 1 >= 2 and question.is_sure(one) or self._is_far(one):
                    break
            one.holds = question.excess(one) <= 0
        except _petrio.PetrioError as wrong:
            one.impossible, one.holds = str(wrong).strip().splitlines()[0], False
        for at, target in enumerate(question.targets):
            mean = one.mean(at)
            trial.set_constraint(target.text, FAR if one.impossible or mean is None else max(-FAR, min(target.excess(mean), FAR)))
        for name, value in (("case", case), ("figures", one.figures), ("holds", one.holds), ("impossible", one.impossible)):
            trial.set_user_attr(name, value)
        self.study.tell(trial, one.cost)
        self._learnt(one)

    def _is_far(self, one: Candidate) -> bool:
        """Whether one run says enough: beyond a limit, or below it, by more than runs of one configuration differ."""
        spread = self._spread()
        return len(one.figures) == 1 and spread is not None and self.question.excess(one) > 4 * spread + 0.02

    def _spread(self) -> float | None:
        """How much replications of one configuration differ, as the logarithm of a factor; nothing before that was seen."""
        spreads = []
        for one in self.known.values():
            for at in range(len(self.question.targets)):
                values = [math.log(row[at]) for row in one.figures if row[at]]
                if len(values) >= 2:
                    mean = sum(values) / len(values)
                    spreads.append(math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1)))
        return sorted(spreads)[len(spreads) * 3 // 4] if len(spreads) >= 3 else None


def _settings(one: Candidate) -> str:
    return ", ".join(f"{key}={value}" for key, value in one.values.items())


def _petrio_unit(target: Target) -> str:
    return {"bytes/s": "bytes/s", "1/s": "a second"}.get(unit := _unit_of(target.measure), unit)


def _unit_of(measure: str) -> str:
    if "latency" in measure or measure in ("p50", "p95", "p99", "mean", "median"):
        return "ms"
    return {"throughput": "bytes/s", "bandwidth": "bytes/s", "rate": "1/s", "iops": "1/s", "requests": "1/s", "operations": "1/s", "makespan": "s", "time": "s"}.get(measure, "")


def _page(found: Search) -> str:
    target = found._question.targets[0]
    shown = [one for one in found.candidates if one.mean(0) is not None]
    width, height, edge = 720, 360, 60
    costs, values = [one.cost for one in shown] or [0, 1], [math.log(one.mean(0)) for one in shown] or [0, 1]
    low, high, under, over = min(costs), max(costs), min([*values, math.log(target.limit)]), max([*values, math.log(target.limit)])
    x = lambda cost: edge + (cost - low) / ((high - low) or 1) * (width - 2 * edge)
    y = lambda value: height - edge - (math.log(value) - under) / ((over - under) or 1) * (height - 2 * edge)
    dots = "".join(
        f'<circle cx="{x(one.cost):.1f}" cy="{y(one.mean(0)):.1f}" r="4" class="{"holds" if one.holds else "fails"}"><title>{_html.escape(_settings(one))}: {one.cost:,.6g}, {one.mean(0):.4g}</title></circle>'
        for one in shown
    )
    front = " ".join(f"{x(one.cost):.1f},{y(one.mean(0)):.1f}" for one in found.pareto)
    rows = "".join(
        f"<tr><td>{one.cost:,.6g}<td>{_html.escape(_settings(one))}<td>{'' if one.mean(0) is None else f'{one.mean(0):.4g}'}<td>{len(one.figures)}<td>{_html.escape(found.why(one))}"
        for one in found.candidates
    )
    unit = _petrio_unit(target)
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{_html.escape(found._question.scenario.path.name)}: the cheapest that keeps its targets</title>
<style>:root{{color-scheme:light dark}}body{{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}svg{{width:100%;height:auto}}
.holds{{fill:#2a78d6}}.fails{{fill:none;stroke:#d9822b;stroke-width:1.5}}table{{border-collapse:collapse;width:100%}}td,th{{text-align:left;padding:.2rem .6rem;border-bottom:1px solid #8884}}pre{{white-space:pre-wrap}}text{{font-size:12px;fill:currentColor}}</style>
<h1>The cheapest that keeps its targets</h1><pre>{_html.escape(found.text)}</pre>
<h2>Cost against {_html.escape(target.measure)}</h2>
<svg viewBox="0 0 {width} {height}" role="img" aria-label="Cost against {_html.escape(target.measure)}: {len(shown)} configurations">
<line x1="{edge}" x2="{width - edge}" y1="{y(target.limit):.1f}" y2="{y(target.limit):.1f}" stroke="currentColor" stroke-dasharray="4 3"/><text x="{width - edge}" y="{y(target.limit) - 6:.1f}" text-anchor="end">{_html.escape(target.text)}</text>
<polyline points="{front}" fill="none" stroke="#8888" stroke-width="1.5"/>{dots}
<text x="{edge}" y="{height - edge + 24}">{low:,.4g}</text><text x="{width - edge}" y="{height - edge + 24}" text-anchor="end">{high:,.4g}</text><text x="{width / 2}" y="{height - 12}" text-anchor="middle">cost</text>
<text x="{edge - 6}" y="{height - edge}" text-anchor="end">{math.exp(under):.3g}</text><text x="{edge - 6}" y="{edge + 4}" text-anchor="end">{math.exp(over):.3g}</text><text x="{edge - 6}" y="{edge - 16}" text-anchor="end">{unit}</text></svg>
<p>Filled: keeps the targets. Rings: doesn't.</p>
<h2>All that were run</h2><table><tr><th>cost<th>configuration<th>{_html.escape(target.measure)} ({unit})<th>runs<th>why not</tr>{rows}</table></html>
"""
