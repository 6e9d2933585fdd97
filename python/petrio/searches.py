"""Search: the cheapest configuration that keeps its targets. Optuna proposes; petrio runs, and leaves out what can't win.

What a configuration costs is known before it is run. So one that costs no less than the best that is known to keep the targets isn't run at
all, whatever the sampler thinks of it, and every run goes to one that would be better if it held. Whether it does is asked of a replication at
a time: of one that is far from a target one is enough, of one that is near as many as it takes, or as there may be.

Two samplers propose in turn, and each is told of all runs: one that seeks the least cost among those that keep the targets, which explores what
one more run could find anywhere, and one that seeks the least cost with misses as a penalty, which follows the edge of what can be kept. Spaces
with several local optima have shown each to stay in one where the other doesn't; every third proposal is one of the cheaper by chance.
"""

from __future__ import annotations

import json
import math
import os
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _petrio
from .found import Search
from .questions import Candidate, Cost, Question
from .scenario import Scenario, ScenarioLike

#: Runs at most, replications among them.
RUNS = 150
#: Replications of a configuration at most.
REPLICATIONS = 5
#: Proposals that are drawn before the sampler learns.
STARTUP = 12
#: As far from a target as the sampler is told, as the logarithm of a factor.
FAR = 10.0
#: A miss of the targets counts as much as a cost that is greater by this power of it: of one sampler's penalty.
PENALTY = 0.4
#: Every so manieth proposal is taken by chance, of those that are worth a run.
BY_CHANCE = 3
#: So often in a row the sampler may propose what isn't worth a run, before one of those that are is taken by chance.
IDLE = 6


def search(
    scenario: ScenarioLike,
    space: Mapping[str, Any],
    *,
    targets: Sequence[str],
    cost: Cost | str | None = None,
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
        cost: What is to be least: a formula of keys, such as ``"disk.d.model * disk.d.count + 600"``, or a function of a dict of values. Left out, what
            the System costs by the prices of the catalogue and the scenario (docs/cost.md).
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
        kept = None
        if storage is not None:
            from optuna.storages import JournalStorage
            from optuna.storages.journal import JournalFileBackend

            kept = JournalStorage(JournalFileBackend(os.fspath(storage)))
        name = "petrio " + json.dumps([os.fspath(question.scenario.path), question.levels, [target.text for target in question.targets], replications])
        self.studies = [
            optuna.create_study(
                direction="minimize",
                sampler=optuna.samplers.TPESampler(seed=seed * 2 + at, multivariate=True, n_startup_trials=STARTUP),
                storage=kept,
                study_name=f"{name} {by}" if kept else None,
                load_if_exists=True,
            )
            for at, by in enumerate(("by cost", "by cost and misses"))
        ]
        self._turn = 0
        self.spaces = {
            key: optuna.distributions.IntDistribution(0, len(levels) - 1)
            if question.is_ordered(at)
            else optuna.distributions.CategoricalDistribution(list(range(len(levels))))
            for at, (key, levels) in enumerate(zip(question.keys, question.levels))
        }
        for trial in self.studies[0].trials:
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
        question, self._turn = self.question, self._turn + 1
        study = self.studies[self._turn % 2]
        for idle in range(IDLE + 1):
            if idle == IDLE or idle == 0 and len(self.known) >= STARTUP and self._turn % BY_CHANCE == 0:
                left = self.cheaper()
                if not left:
                    return None
                study.enqueue_trial(self._parameters(self._chance.choice(left)))
            trial = study.ask(self.spaces)
            values = tuple(question.levels[at][trial.params[key]] for at, key in enumerate(question.keys))
            case = question.of_values.get(values)
            if self.is_worth_it(case):
                self._trial = trial
                return case
            # Its cost is known, and too high; or it is known whole.
            study.tell(trial, state=self.optuna.trial.TrialState.PRUNED)
        return None

    def _parameters(self, case: int) -> dict[str, int]:
        values = self.question.cases[case]
        return {key: levels.index(values[key]) for key, levels in zip(self.question.keys, self.question.levels)}

    def asked(self, case: int, runs: int) -> None:
        """Runs a configuration until it is clear whether it keeps its targets, and tells the samplers."""
        question = self.question
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
        self._tell(one)
        self._learnt(one)

    def _tell(self, one: Candidate) -> None:
        """Tells both samplers: whose proposal it was by its trial, and the other by one that it didn't ask for."""
        known = lambda mean, target: FAR if one.impossible or mean is None else max(-FAR, min(target.excess(mean), FAR))
        constraints = {target.text: known(one.mean(at), target) for at, target in enumerate(self.question.targets)}
        kept = {"case": one.case, "figures": one.figures, "holds": one.holds, "impossible": one.impossible}
        penalty = max(0.0, *constraints.values()) + PENALTY * math.log(max(one.cost, 1e-9))
        for at, (study, value) in enumerate(zip(self.studies, (one.cost, penalty))):
            if at != self._turn % 2:
                study.add_trial(
                    self.optuna.trial.create_trial(
                        params=self._trial.params, distributions=self.spaces, value=value, user_attrs=kept, constraints=constraints if at == 0 else None
                    )
                )
                continue
            for name, of in kept.items():
                self._trial.set_user_attr(name, of)
            for name, of in constraints.items() if at == 0 else ():
                self._trial.set_constraint(name, of)
            study.tell(self._trial, value)

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
