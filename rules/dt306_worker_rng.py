"""A generator made in the parent process is copied into every loader worker.

What it finds
-------------
A NumPy, `random` or torch generator object kept by a data set, a transform or a module, and used where samples are
made, under a loader with worker processes and no `worker_init_fn`, or one that does not come near it.

Why it is bad
-------------
Every worker starts with a copy of the same state, in every epoch anew: samples of different workers get the same
augmentation and the same noise.

Instead
-------
    def __getitem__(self, index):
        rng = np.random.default_rng([self.seed, self.epoch, index])

or use the global generators, which torch seeds differently in each worker (NumPy's since torch 1.9), or reseed in
`worker_init_fn`.

Limits
------
That a project keeps to an older torch is read from its requirements.
Loaders whose number of workers is not known are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, noise, span_at

RULE = Rule(
    code="DT306",
    slug="worker-rng",
    family="DT3",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "numpy"),
    title="a generator made in the parent process is copied into every loader worker",
)


def check(run: Run) -> Iterator[Finding]:
    for place, steps in noise.copied_generators(run):
        yield RULE.finding(
            span_at(place),
            "this generator is made once and copied into every loader worker, so all workers draw the same numbers",
            "make it where samples are made, seeded by the index, or reseed it in `worker_init_fn`",
            scope=place[2],
            trail=steps,
        )
    for place, steps in noise.same_in_workers(run):
        yield RULE.finding(
            span_at(place),
            "all workers draw the same numbers here, and the same again in each epoch: the torch that this project asks"
            " for does not seed NumPy in them",
            "seed it in `worker_init_fn` by `torch.initial_seed() % 2**32`, or draw from torch's generator",
            scope=place[2],
            trail=steps,
        )
