"""An asynchronous call whose result is used, or whose handle is lost, before anybody waits for it.

What it finds
-------------
`async_op=True`, `isend` or `irecv` gives a handle. The handle is thrown away, or in a loop the next one takes its name
before anybody waits, or the tensor is read before `wait()`.

Why it is bad
-------------
The transfer may still be running: the tensor holds the old value, the new one or a mixture, different from run to run
and from rank to rank. Nothing is printed.

Instead
-------
    work = dist.all_reduce(mean, async_op=True)
    ...                        # other work that does not touch `mean`
    work.wait()
    value = mean.item()

Limits
------
A handle that is put into a container or an attribute is assumed to be waited for.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Span, Step, recorded

RULE = Rule(
    code="DT115",
    slug="unwaited-work",
    family="DT1",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="an asynchronous call nobody waits for",
)


def check(run: Run) -> Iterator[Finding]:
    for event, _ in recorded(run, "dropped-work", "early-use"):
        work = event.extra["work"]
        start = work.facts["event"]
        name, place = start.api.rpartition(".")[2], start
        if event.op == "dropped-work":
            if work.facts.get("synchronised"):
                continue
            message = f"the handle of `{name}()` is lost: nobody can wait until the transfer is done"
            trail: tuple[Step, ...] = (Step.of(start, "starts the transfer and returns a handle"),)
            if (event.path, event.function) != (start.path, start.function):  # a wrapper that hands the handle on
                place = event
        else:
            done, here = (
                ("overwritten", "and gets new content here")
                if "written" in event.extra
                else ("used", "and is read here")
            )
            message = f"the tensor of this asynchronous `{name}()` is {done} in line {event.at[0]} before `wait()`"
            trail = (
                Step.of(start, "starts the transfer; the tensor is not ready until `wait()`"),
                Step.of(event, here),
            )
        remedy = "keep the handle and call `wait()` on it before the tensor is used"
        call = start.extra.get("call")
        if call is not None and call.get("async_op") is not None:
            remedy += ", or leave out `async_op=True`"
        yield RULE.finding(Span(place.path, *place.at), message, remedy, scope=place.function, trail=trail)
