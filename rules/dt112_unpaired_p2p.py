"""A send without its receive, or ranks that all wait for each other's message.

What it finds
-------------
The `send`, `recv`, `isend` and `irecv` calls of the ranks are played against each other. One of them never meets its
partner: nobody makes the other half, the peer is wrong, the other half is made less often, or every rank receives (or
sends) first and nobody gets on. Or a rank makes its half only if its own loss, clock or draw says so, and the other
one waits for it every time.

Why it is bad
-------------
The call waits until the group times out. A blocking `send` in a ring may work while messages are small and hang when
they grow.

Instead
-------
    if rank % 2 == 0:                       # half of the ranks send first, the other half receive first
        dist.send(block, dst=after)
        dist.recv(received, src=before)
    else:
        dist.recv(received, src=before)
        dist.send(block, dst=after)

or start both with `isend`/`irecv` (`batch_isend_irecv`) and wait for both.

Limits
------
Peers that are not known for every rank, and loops of which is not known how often they turn, are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Span, pairing, short, withheld

RULE = Rule(
    code="DT112",
    slug="unpaired-p2p",
    family="DT1",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="a message that nobody sends or nobody receives",
)


def check(run: Run) -> Iterator[Finding]:
    for found in pairing.unpaired(run):
        event = found.event
        name = event.api.rpartition(".")[2]
        name = event.op if name == "batch_isend_irecv" else name
        half = "receives from it" if event.op in ("send", "isend") else "sends to it"
        peer = f"rank {found.peer}" if found.peer >= 0 else "any rank"
        trail = pairing.trail_of(run, found)
        if found.reason == "cycle":
            message = f"rank {found.lane} waits in `{name}()` for {peer}, which waits for it in turn: nobody gets on"
            remedy = "let half of the ranks send first and the other half receive first, or use batch_isend_irecv"
        elif found.reason == "more":
            calls, answers = found.times
            message = f"rank {found.lane} waits in `{name}()` for {peer} {calls} times, which {half} {answers} times"
            if not calls:  # nobody knows how often, but more often than that
                message = f"rank {found.lane} waits in `{name}()` for {peer} more often than that {half}"
            remedy = "let both loops make as many turns, or put the same condition into both"
        else:
            message = f"rank {found.lane} waits in `{name}()` for {peer}, which never {half}"
            remedy = "make the other half of the transfer on that rank, with the same peer, tag and group"
        yield RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=trail)
    for one in withheld.withheld(run):
        decision = one.choice.decision
        message = (
            f"rank {one.lane} comes to {short(one.event)} as `{decision.text}` says, which only it knows, "
            f"and rank {one.peer} waits for it in any case"
        )
        remedy = "make the call on both sides of the branch, or tell the other rank first what was decided"
        place = Span(decision.path, *decision.at)
        yield RULE.finding(place, message, remedy, scope=decision.function, trail=withheld.trail_of(one))
