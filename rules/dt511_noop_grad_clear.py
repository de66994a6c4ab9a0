"""A statement that clears or changes nothing.

What it finds
-------------
`p.data.grad = None` writes onto a temporary tensor; `rows.shuffle()`, `tensor.to()`, `tensor.add()` give a new object
back that is thrown away; `random.shuffle(list(names))` shuffles a copy, and `dist.all_reduce(torch.tensor(total))`
leaves `total` as it is; `optimizer.zero_grad` without the call does nothing, and `p.requires_grad == False` sets
nothing. `optimizer.lr = rate` sets an attribute that the optimizer never looks at.

Why it is bad
-------------
Gradients add up over all steps, data stay in their order, tensors on their device. Nothing fails.

Instead
-------
    p.grad = None                  # of the parameter itself
    rows = rows.shuffle(seed=3)    # keep the new one
    total.add_(value)              # in place

Limits
------
Known are the methods of tensors and datasets that the packs call pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, stepping

RULE = Rule(
    code="DT511",
    slug="noop-grad-clear",
    family="DT5",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=(
        "torch",
        "datasets",
    ),
    title="a statement that clears or changes nothing",
)


def check(run: Run) -> Iterator[Finding]:
    for met in stepping.events(run, "record", "lost-write"):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            "`.data` makes a new tensor each time: the gradient of the parameter stays as it is",
            "write `parameter.grad = None`, or call `optimizer.zero_grad()`",
            scope=event.function,
            trail=(Step.of(event, "written onto a tensor that is gone after this line"),),
        )
    for met in stepping.events(run, "record", "discarded"):
        event = met.event
        name = event.api.rpartition(".")[2]
        yield RULE.finding(
            run.span(event.path, event.at),
            f"`{name}()` gives a new object back and changes nothing; the result is thrown away",
            f"assign the result of `{name}()`, or use its in-place form",
            scope=event.function,
            trail=(Step.of(event, f"the result of `{name}()` is not used"),),
        )
    for met in stepping.events(run, "record", "agreed-unseen"):
        event = met.event
        name = event.api.rpartition(".")[2]
        yield RULE.finding(
            run.span(event.path, event.at),
            f"`{name}` works in place on a tensor that is made here and that nobody keeps: what it gives is lost",
            f"give the tensor a name, hand it to `{name}()`, and read it afterwards",
            scope=event.function,
            trail=(Step.of(event, "what it was made of stays as it is on each rank"),),
        )
    for met in stepping.events(run, "record", "shuffled-unseen"):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            "this shuffles a list that is made here and that nobody keeps: what it was made of stays in its order",
            "give the list a name, shuffle it, and go on with that",
            scope=event.function,
            trail=(Step.of(event, "the shuffled list is gone after this line"),),
        )
    for met in stepping.events(run, "record", "compared"):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            f"`{event.api}` is compared here, and nobody asks for the answer",
            "write one `=` to set it",
            scope=event.function,
            trail=(Step.of(event, "`==` alone changes nothing"),),
        )
    for met in stepping.options_beside(run):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            f"an optimizer reads `{event.api}` from its groups: this attribute is read by nothing",
            f'write `for group in optimizer.param_groups: group["{event.api}"] = …`',
            scope=event.function,
            trail=(Step.of(event, "the next step goes on with the old value"),),
        )
    for met in stepping.events(run, "record", "uncalled"):
        event = met.event
        name = event.api.rpartition(".")[2]
        yield RULE.finding(
            run.span(event.path, event.at),
            f"`{name}` is named but not called",
            f"write `{name}()`",
            scope=event.function,
            trail=(Step.of(event, f"without parentheses `{name}` does nothing"),),
        )
