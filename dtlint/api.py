"""What may a rule import? Everything a rule needs is here, and nothing else is promised to stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dtlint.findings import (
    EFFECTS,
    SEVERITIES,
    SEVERITY_OF_EFFECT,
    TIERS,
    Cell,
    Finding,
    Span,
    Step,
    Timeline,
    TimelineRow,
    each_once,
)
from dtlint.machine.library.meeting.evidence import distributed
from dtlint.machine.logs import Attempt, Call, Choice, Decision, Event, Log, Loop
from dtlint.machine.run import Run
from dtlint.machine.walks import walk
from dtlint.timeline import devices, environment, lifecycle
from dtlint.timeline.arrays.compared import compares
from dtlint.timeline.arrays.jax_notes import (
    drifting,
    host_keys,
    kept_keys,
    late_starts,
    never_joined,
    replicated_where_nothing_is_saved,
    too_many_keys,
    written_keys,
    written_with_copies,
)
from dtlint.timeline.arrays.jax_notes import noted as jax_notes
from dtlint.timeline.arrays.jax_notes import place as jax_place
from dtlint.timeline.arrays.jax_notes import saved as saved_copies
from dtlint.timeline.arrays.lent import lent_buffers
from dtlint.timeline.arrays.lives import way
from dtlint.timeline.arrays.named_parts import unknown_parts
from dtlint.timeline.arrays.only_looked_at import only_looked_at
from dtlint.timeline.arrays.reused_buffers import reused_buffers
from dtlint.timeline.arrays.reused_keys import reused_keys
from dtlint.timeline.arrays.told_once import told_once
from dtlint.timeline.places.files import accesses, together
from dtlint.timeline.places.loggers import many_loggers, unopened
from dtlint.timeline.places.metrics import local_metrics
from dtlint.timeline.places.own_names import names_own_place, rank_local_names
from dtlint.timeline.places.races import races
from dtlint.timeline.places.saved import questionable_saves
from dtlint.timeline.places.two_lanes import ways_apart
from dtlint.timeline.places.writers import shared_writes, turns
from dtlint.timeline.places.wrong_scopes import on_a_second_machine_only, wrong_scopes
from dtlint.timeline.ranks import pairing, withheld
from dtlint.timeline.ranks.arrivals import distributed_step
from dtlint.timeline.ranks.crossing import crossings
from dtlint.timeline.ranks.explain import does, short, spoken_exit
from dtlint.timeline.ranks.hints import on_the_first_device
from dtlint.timeline.ranks.inverted import inverted, without_gpu
from dtlint.timeline.ranks.manager_ends import left_behind
from dtlint.timeline.ranks.manager_members import apart
from dtlint.timeline.ranks.manager_orders import disordered
from dtlint.timeline.ranks.managers import never_asked, review
from dtlint.timeline.ranks.own_orders import own_orders
from dtlint.timeline.ranks.own_words import first_asked, holding_back, others_asked
from dtlint.timeline.ranks.parting import Divergence
from dtlint.timeline.ranks.telling import acting, diverging, ends_the_job, missing, place_of, told, waiting, who
from dtlint.timeline.records import matters, options_of, recorded, ways_down
from dtlint.timeline.samples import (
    divided,
    engine_batches,
    evaluation,
    host_batches,
    noise,
    one_node,
    sampling,
    seed_collisions,
    seeding,
    shares,
    uneven,
    unsharded,
    worker_streams,
    workers,
)
from dtlint.timeline.samples.epochs_kept import kept_to_itself
from dtlint.timeline.samples.epochs_unheard import kept_for_nothing
from dtlint.timeline.samples.late_forks import late_forks
from dtlint.timeline.samples.node_shares import taken_by_node
from dtlint.timeline.samples.refused_options import refused
from dtlint.timeline.samples.stale_copies import stale_writes
from dtlint.timeline.samples.worker_counts import lost_counts
from dtlint.timeline.steps import (
    batch_norms,
    clearing,
    loss_scale,
    models_used,
    no_sync,
    partly_reduced,
    placement,
    schedules,
    searched_in_vain,
    stale_optimizers,
    stepping,
    tails,
    unchosen_devices,
    unmapped_loads,
    unreduced,
    windows,
)
from dtlint.timeline.steps.engine_turns import steps_in_some_turns
from dtlint.timeline.steps.parts import differing_models
from dtlint.timeline.steps.stepping_apart import Apart, stepped_apart
from dtlint.timeline.steps.trainer_schedules import before_the_trainer
from dtlint.timeline.steps.training import span_at, step_at

__all__ = [
    "Apart",
    "Attempt",
    "Call",
    "Cell",
    "Choice",
    "Decision",
    "Divergence",
    "Event",
    "Finding",
    "Log",
    "Loop",
    "Rule",
    "Run",
    "Span",
    "Step",
    "Timeline",
    "TimelineRow",
    "acting",
    "divided",
    "first_asked",
    "holding_back",
    "options_of",
    "others_asked",
    "sampling",
    "uneven",
    "unsharded",
    "taken_by_node",
    "accesses",
    "apart",
    "ways_apart",
    "disordered",
    "left_behind",
    "never_asked",
    "local_metrics",
    "lost_counts",
    "review",
    "crossings",
    "questionable_saves",
    "races",
    "together",
    "differing_models",
    "devices",
    "distributed",
    "distributed_step",
    "many_loggers",
    "unknown_parts",
    "unopened",
    "rank_local_names",
    "shared_writes",
    "turns",
    "ways_down",
    "withheld",
    "wrong_scopes",
    "on_a_second_machine_only",
    "diverging",
    "does",
    "ends_the_job",
    "engine_batches",
    "host_batches",
    "evaluation",
    "on_the_first_device",
    "host_keys",
    "noise",
    "one_node",
    "pairing",
    "seed_collisions",
    "seeding",
    "before_the_trainer",
    "drifting",
    "environment",
    "lifecycle",
    "inverted",
    "jax_notes",
    "kept_keys",
    "kept_for_nothing",
    "kept_to_itself",
    "jax_place",
    "late_starts",
    "never_joined",
    "missing",
    "batch_norms",
    "compares",
    "clearing",
    "models_used",
    "no_sync",
    "names_own_place",
    "partly_reduced",
    "place_of",
    "placement",
    "matters",
    "only_looked_at",
    "own_orders",
    "recorded",
    "replicated_where_nothing_is_saved",
    "lent_buffers",
    "reused_buffers",
    "reused_keys",
    "schedules",
    "searched_in_vain",
    "saved_copies",
    "shares",
    "short",
    "spoken_exit",
    "span_at",
    "step_at",
    "loss_scale",
    "stale_optimizers",
    "stepping",
    "steps_in_some_turns",
    "tails",
    "unchosen_devices",
    "unmapped_loads",
    "unreduced",
    "windows",
    "told",
    "told_once",
    "too_many_keys",
    "waiting",
    "walk",
    "way",
    "stepped_apart",
    "who",
    "worker_streams",
    "workers",
    "late_forks",
    "refused",
    "stale_writes",
    "written_keys",
    "written_with_copies",
    "without_gpu",
]


@dataclass(frozen=True, slots=True)
class Rule:
    """One question to a run. `check` and `documentation` are filled in by the registry from the module, and so is
    `check_launch` for a rule about programs that has a word on what starts them as well."""

    code: str
    slug: str
    family: str
    effect: str
    tier: str
    since: str
    frameworks: tuple[str, ...]
    title: str
    severity: str | None = None
    check: Callable[[Any], Iterable[Finding]] | None = None
    check_launch: Callable[[Any], Iterable[Finding]] | None = None
    documentation: str = ""

    def __post_init__(self) -> None:
        if self.effect not in EFFECTS:
            raise ValueError(f"{self.code}: effect {self.effect!r} is none of {', '.join(EFFECTS)}")
        if self.tier not in TIERS:
            raise ValueError(f"{self.code}: tier {self.tier!r} is none of {', '.join(TIERS)}")
        if self.severity is not None and self.severity not in SEVERITIES:
            raise ValueError(f"{self.code}: severity {self.severity!r} is none of {', '.join(SEVERITIES)}")

    @property
    def default_severity(self) -> str:
        return self.severity or SEVERITY_OF_EFFECT[self.effect]

    def finding(self, span: Span, message: str, remedy: str, **details: Any) -> Finding:
        """A finding of this rule; `details` are further fields of `Finding` and may override effect, severity, tier."""
        effect = details.pop("effect", self.effect)
        severity = details.pop("severity", None) or self.severity or SEVERITY_OF_EFFECT[effect]
        tier = details.pop("tier", self.tier)
        trail = each_once(details.pop("trail", ()))
        return Finding(self.code, self.slug, effect, severity, tier, message, remedy, span, trail=trail, **details)
