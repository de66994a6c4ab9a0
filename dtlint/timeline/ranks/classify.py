"""Which of the catalogue's questions does a divergence answer?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, takewhile

from dtlint.machine.contents.truth import APART
from dtlint.machine.library.computing.provenance import OWN_FILES, OWN_TABLES
from dtlint.machine.library.computing.tensors import ALIASES, COPIES, REVEALS
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.groups import MEMBERS
from dtlint.machine.library.python.iterators import ITEMS
from dtlint.machine.logs import EXITS, FAILS, Attempt, Call, Event, LogNode, Loop, Place, inner_logs
from dtlint.machine.run import Run
from dtlint.machine.starts.given import settled
from dtlint.machine.values import BY_SHARE, FALSE, Symbol, Unknown
from dtlint.machine.walks import walk
from dtlint.timeline.ranks.manager_orders import managed
from dtlint.timeline.ranks.merged import MERGED
from dtlint.timeline.ranks.parting import Divergence
from dtlint.timeline.ranks.shown import Shown
from dtlint.timeline.samples import strided, uneven

RANK_KINDS = BY_SHARE | {"last batch"}
# a training loop over parts that are not equally long: family DT2 tells where they were cut
SHARDING = {"shard": "DT206", "last batch": "DT202"}
TURNED_AWAY = frozenset({"return", "break", "continue", *EXITS})
LEAVES = TURNED_AWAY - {"continue"}
ENDS = frozenset({"return", "break"})  # what a generator ends with
CHOSEN = ("phi", "split")  # symbols of what one of two sides has left
CREATION = frozenset({"new_group", "wrap", "init", "init_rpc"})


def is_creation(divergence: Divergence) -> bool:
    return divergence.event.op in CREATION


def made_by_both(divergence: Divergence) -> bool:
    """Do those that are elsewhere make the same call, at another moment?"""
    return divergence.event.mask & divergence.absent == divergence.absent


def code_of(run: Run, divergence: Divergence) -> tuple[str, str]:
    """`(code, tier)`; an empty code means: not to be reported."""
    shape = divergence.shape
    if (
        shape in ("guarded", "order", "exit")
        and divergence.event.group is not None
        and divergence.event.group.name == "manager"
    ):
        return "", ""  # family DT8 looks at managers
    if shape == "argument":
        return ("DT109" if is_creation(divergence) else "DT107"), ("strict" if by_files(divergence) else "default")
    if shape in ("swallowed", "trip") and gives_up(divergence.event):
        return "", ""
    if shape == "handler":
        return "DT105", "default"
    if shape == "swallowed":
        return "DT106", "default"
    if shape == "trip":
        cause, loop = divergence.cause, divergence.loop
        counted = loop is not None and loop.kind == "while" and divergence.decision is loop.decision
        if divergence.event.implicit and cause is not None and cause.kind in SHARDING and not counted and cut(loop):
            return SHARDING[cause.kind], "default"
        if by_files(divergence) and not is_while(divergence):
            return "", ""  # where to go on after a checkpoint: the file system is shared as a rule
        if cause is not None and cause.kind == "group rank" and (not of_world(divergence) or hands_on(divergence)):
            return "", ""
        return "DT103", trip_tier(run, divergence)
    if shape == "local":
        return local_code(run, divergence)
    if shape == "exit":
        return ("DT109" if is_creation(divergence) and comes_back(divergence) else "DT102"), "default"
    if shape == "order" and (not is_creation(divergence) or made_by_both(divergence)):
        return "DT104", "default"
    return guarded_code(divergence), "default"


def gives_up(event: Event) -> bool:
    """`monitored_barrier(timeout=…)`: whoever waits in it goes on with an error when somebody does not come."""
    call = event.extra.get("call")
    return isinstance(call, Invocation) and bool(call.row.extra.get("gives_up"))


def comes_back(divergence: Divergence) -> bool:
    """`if rank not in members: return None`: do those who leave go on in the function that called, or at the next turn?
    Then they were right to leave, and what is made behind it belongs in front."""
    decision = divergence.decision
    if decision is None or decision.exit_word != "return":
        return decision is not None and decision.exit_word == "continue"
    path = divergence.path
    called = [at for at, node in enumerate(path) if isinstance(node, Call) and node.function == decision.function]
    return any(goes_on_behind(node, around) for at in called for around, node in pairwise(path[: at + 1]))


def goes_on_behind(node: LogNode, around: LogNode) -> bool:
    """Does anything come behind it, or in the next turn? Or does what is around end with it?"""
    if isinstance(around, Loop):
        return True
    for log in inner_logs(around):
        places = [number for number, one in enumerate(log.nodes) if one is node]
        if places:
            return any(does_anything(one) for one in log.nodes[places[0] + 1 :])
    return False


def does_anything(node: LogNode) -> bool:
    return isinstance(node, Event) or any(does_anything(inner) for log in inner_logs(node) for inner in log.nodes)


def cut(loop: Loop | None) -> bool:
    """Is it known where what the loop walks over was divided? A count of what was made of a part says nothing of it."""
    return loop is None or loop.cause is None or loop.cause.kind != "shard" or bool(uneven.cuts(loop))


def guarded_code(divergence: Divergence) -> str:
    if is_creation(divergence):
        return "DT109"
    if thrown_into_handler(divergence):
        return "DT105"
    return "DT108" if divergence.event.implicit else "DT101"


def thrown_into_handler(divergence: Divergence) -> bool:
    """`try: if rank == 0: raise … except: gather()`: the call is below the question, and yet behind its branch."""
    decision, event = divergence.decision, divergence.event
    if decision is None or decision.kind != "branch" or decision.exit_word:
        return False
    tried = any(isinstance(node, Attempt) and node.path == decision.path for node in divergence.path)
    sites = [(event.path, event.at), *((node.path, node.at) for node in divergence.path if isinstance(node, Call))]
    here = [at for path, at in sites if path == decision.path and at[:2] > decision.at[:2]]
    return tried and bool(here) and not any(within(at, decision.at) for at in here)


def within(at: Place, span: Place) -> bool:
    return span[:2] <= at[:2] <= span[2:]


def hands_on(divergence: Divergence) -> bool:
    """Does every turn send something to another rank, or take it from there? So do the stages of a pipeline, each of
    which runs its own part of the model."""
    loop = divergence.loop
    return (
        divergence.event.implicit
        and loop is not None
        and any(isinstance(node, Event) and node.kind == "p2p" for node, _ in walk(loop.body))
    )


def is_while(divergence: Divergence) -> bool:
    return divergence.loop is not None and divergence.loop.kind == "while"


def by_files(divergence: Divergence) -> bool:
    """Does it hang on where files stand? That is the same for all ranks as a rule."""
    return divergence.cause is not None and divergence.cause.kind == "files"


def trip_tier(run: Run, divergence: Divergence) -> str:
    return "strict" if (by_files(divergence) and is_while(divergence)) or not shown(run, divergence) else "default"


def local_code(run: Run, divergence: Divergence) -> tuple[str, str]:
    """A decision each rank takes for itself, on a value that is not known."""
    kind = divergence.cause.kind if divergence.cause is not None else "rank"
    if divergence.cause is not None and not begins_somewhere(divergence):
        return "", ""  # nobody can say where the difference comes from
    exits = divergence.choice.exits if divergence.choice is not None else ("", "")
    if managed(divergence.event) and LEAVES.intersection(exits):
        return "", ""  # a quorum is asked for without those that have gone
    if FAILS.intersection(exits):
        return "", ""  # an error on one rank ends the job: the launcher stops the others
    if kind == MERGED:
        return "DT110", "default"
    if kind == "group rank":
        # a stage or slice that nobody can place selects whole groups of the other dimensions
        return ("DT101" if of_world(divergence) else ""), "strict"
    if kind in RANK_KINDS:
        event = divergence.event
        if event.kind == "p2p" or (event.implicit and asks_membership(divergence)):
            # roles that a table gives to ranks: who sends to whom, and who holds a tensor, is in the table
            return "", ""
        if of_settings(divergence):
            return guarded_code(divergence), "default"
        if asks_membership(divergence):
            # every rank may find itself there, as it does in the list of its own group; who makes a group asks for it
            return ("DT109" if made_for_those(divergence) else ""), "default"
        if not event.implicit and strided.owns(divergence):
            return ("DT102" if TURNED_AWAY.intersection(exits) else guarded_code(divergence)), "default"
        if drawn(divergence):
            return "DT110", "default"
        if guessed(divergence) or (kind in SHARDING and gives_later(divergence)):
            return "", ""
        index = strided.index_of(divergence) if event.implicit else None
        if index is not None:
            return ("DT206" if strided.unequal(divergence, index) else ""), "default"
        if kind in SHARDING and TURNED_AWAY.intersection(exits):
            return "DT102", "default"  # who was given nothing leaves
        if made_by_each(divergence):
            return "", ""
        if compares_rank(divergence):
            return ("DT102" if TURNED_AWAY.intersection(exits) else guarded_code(divergence)), "default"
        if is_creation(divergence):
            return "DT109", "default"
        return "DT111", ("default" if shown(run, divergence) else "strict")
    if kind == "data" and (reduced_later(divergence) or gives_later(divergence)):
        return "", ""  # whoever has told something once in an epoch takes part
    if kind == "exception":
        if something_either_way(divergence):
            return "", ""
        return "DT106", "default"  # the handler took it well, and what it left behind decides
    return "DT110", ("strict" if by_files(divergence) or not shown(run, divergence) else "default")


def shown(run: Run, divergence: Divergence) -> bool:
    """Is it seen that ranks decide otherwise, rather than that they decide on something that differs?"""
    known = Shown(run.facts.get(OWN_FILES, ()), run.facts.get(OWN_TABLES, ()))
    if divergence.choice is not None:
        return divergence.choice.symbol is None or known.parts_ranks(divergence.choice.symbol)
    if divergence.loop is None or (divergence.cause is not None and divergence.cause.kind == ITEMS):
        return True  # how many items an iterator gives is known to differ
    if divergence.loop.asked is not None:
        return known.parts_ranks(divergence.loop.asked)
    trip = divergence.loop.trip
    return not isinstance(trip, Unknown) or known.is_own(trip.symbol)


def made_by_each(divergence: Divergence) -> bool:
    """Is it asked of something that every rank has got for itself, one of them in another way: the first has computed
    it, and the others read what it has written? Whoever has thought of all ranks wants them to have the same; nobody is
    left with what was there before."""
    symbol = divergence.choice.symbol if divergence.choice is not None else None
    if symbol is None or symbol.key[0] != APART:
        return False
    first, *others = symbol.key[1:]
    pairs = [pair for other in others for pair in differences(first, other)]
    return bool(pairs) and all(got(one) and got(two) and (is_read(one) or is_read(two)) for one, two in pairs)


def differences(one: object, other: object) -> Iterator[tuple[object, object]]:
    """The innermost parts in which two values differ."""
    if one == other:
        return
    both = isinstance(one, Symbol) and isinstance(other, Symbol)
    if both and one.key[0] == other.key[0] and len(one.key) == len(other.key):  # type: ignore[attr-defined]
        for mine, theirs in zip(one.key, other.key, strict=True):  # type: ignore[attr-defined]
            yield from differences(mine, theirs)
    else:
        yield one, other


def got(part: object) -> bool:
    """Some thing that was made in this run, or what a library has given."""
    return is_read(part) or (isinstance(part, tuple) and part[:1] == ("object",))


def is_read(part: object) -> bool:
    return isinstance(part, Symbol) and is_call(part.key[0])


def drawn(divergence: Divergence) -> bool:
    """Is it asked of the numbers of a generator that each rank has seeded for itself?"""
    symbol = divergence.choice.symbol if divergence.choice is not None else None
    return symbol is not None and any(one.key[0] == "drawn" for one in above_shares(symbol))


def gives_later(divergence: Divergence) -> bool:
    """Does a generator ask whether it gives something already? Whoever walks over it goes on at its next item, on each
    rank at another place of the data: no call is left out, and how many there are, the loop over the data tells."""
    choice = divergence.choice
    number = next((place for place, node in enumerate(divergence.path) if node is choice), None)
    if choice is None or number is None or EXITS.intersection(choice.exits):
        return False
    asked = (choice.decision.path, choice.decision.function)
    if not ENDS.isdisjoint(choice.exits) and asked_back(divergence, number, asked):
        return False
    for node in divergence.path[number + 1 :]:
        if isinstance(node, Call):
            return (node.path, node.caller) != asked
    return (divergence.event.path, divergence.event.function) != asked


def asked_back(divergence: Divergence, number: int, asked: tuple[str, str]) -> bool:
    """Has whoever walks over the generator done his turn when it asks whether to go on? Then it asks what he told it:
    `yield epoch`, and after that `if self.bad >= self.limit: return`."""
    above = divergence.path[: number + 1]
    loop = next((node for node in reversed(above) if isinstance(node, Loop)), None)
    nodes = loop.body.nodes if loop is not None else []
    before = takewhile(lambda node: all(node is not one for one in above), nodes)
    return any((node.path, node.caller) != asked for node in before if isinstance(node, Call)) or any(
        (node.path, node.function) != asked for node in before if isinstance(node, Event)
    )


def reduced_later(divergence: Divergence) -> bool:
    """`self.log(…, sync_dist=True)` of Lightning reduces at the end of the epoch, if it does not do so at every step,
    as it does in a training step unless told otherwise."""
    call = divergence.event.extra.get("call")
    if call is None or "on_step" not in call.row.params:
        return False
    given = call.get("on_step")
    if given is not None:
        return given == FALSE
    return not any(isinstance(node, Call) and node.function.endswith(".training_step") for node in divergence.path)


def begins_somewhere(divergence: Divergence) -> bool:
    """Does the trail start at a source, rather than at the first variable that was seen to differ?"""
    first = next(iter(divergence.cause.steps()), None) if divergence.cause is not None else None
    return first is not None and " differs by " not in first.text


def guessed(divergence: Divergence) -> bool:
    """Is all that is known that some function, of which nothing is known, was given something that differs, or was the
    computation too long to be kept?"""
    symbol = divergence.choice.symbol if divergence.choice is not None else None
    return symbol is not None and any(
        one.key[0] == "deep" or (is_call(one.key[0]) and not of_value(one)) for one in above_shares(symbol)
    )


def above_shares(symbol: Symbol) -> Iterator[Symbol]:
    """What was computed from a rank's share: `items[rank::world]` differs by its bounds, whoever made the items. A
    question that all ranks answer alike makes nothing differ, nor does what was computed from the same on all of them,
    and where ranks hold values that were made in different ways, that is the difference."""
    if symbol.key[0] == APART or symbol.alike or symbol.key[0] == "agreed":
        return
    yield symbol
    if symbol.key[0] == "filled" and type(symbol.key[1]) is int:
        return  # a list into which ranks have put more or less, whatever it is
    if not (symbol.key[0] == "slice" and any(isinstance(part, tuple) for part in symbol.key[2:4])):
        for part in symbol.key[2:] if symbol.key[0] == "phi" else symbol.key:
            if isinstance(part, Symbol):
                yield from above_shares(part)


def of_settings(divergence: Divergence) -> bool:
    """Is it the rank and what was given to the program, computed on the spot: `rank % args.every == 0`?"""
    symbol = divergence.choice.symbol if divergence.choice is not None else None
    return symbol is not None and settled(symbol)


def something_either_way(divergence: Divergence) -> bool:
    """`if loss is None`, where the handler has left another loss, and nobody anywhere None."""
    asked = asked_in(divergence)
    chosen = asked.key[1] if asked is not None and asked.key[0] == "is none" else None
    return isinstance(chosen, Symbol) and chosen.key[0] in CHOSEN and not may_lack(chosen)


def may_lack(chosen: Symbol) -> bool:
    sides = [chosen.behind] if chosen.behind is not None else chosen.key[2:] if chosen.key[0] in CHOSEN else ()
    return any(side is None or (isinstance(side, Symbol) and may_lack(side)) for side in sides)


def asked_in(divergence: Divergence) -> Symbol | None:
    """The question that is decided, whichever way round it was put."""
    symbol: Symbol | None = divergence.choice.symbol if divergence.choice is not None else None
    while symbol is not None and symbol.key[0] == "not":
        symbol = symbol.key[1]
    return symbol


def compares_rank(divergence: Divergence) -> bool:
    """`rank == settings["lead"]`: the rank itself, and something that is the same for all."""
    symbol = asked_in(divergence)
    if symbol is None or symbol.key[0] not in ("compare ==", "compare !="):
        return False
    return any(type(side) is int for side in symbol.key[1:]) and any(
        isinstance(side, Symbol) and side.alike for side in symbol.key[1:]
    )


def of_world(divergence: Divergence) -> bool:
    group = divergence.event.group
    return group is not None and group.name == "world"


def asks_membership(divergence: Divergence) -> bool:
    """`rank in members`, of which nothing else is known; or, in a loop that counts, whether it is this rank's turn."""
    symbol = divergence.choice.symbol if divergence.choice is not None else None
    return symbol is not None and any(one.key[0] == "compare in" or takes_turns(one) for one in above_shares(symbol))


def takes_turns(symbol: Symbol) -> bool:
    """`for turn in range(count): if turn == rank // size`"""
    return symbol.key[0] == "compare ==" and any(
        isinstance(side, Symbol) and side.key[0] == "number" for side in symbol.key[1:]
    )


def made_for_those(divergence: Divergence) -> bool:
    """`if rank in members: new_group(members)`, or `if rank not in members: continue` in front of it"""
    symbol = asked_in(divergence)
    members = divergence.event.extra.get(MEMBERS, ())
    return symbol is not None and symbol.key[0] == "compare in" and symbol.key[2] in members


def of_value(symbol: Symbol) -> bool:
    """A method that reads the value it belongs to: `loss.item()`, `flags.any()`."""
    method = symbol.key[1] if len(symbol.key) > 1 else None
    return isinstance(method, Symbol) and method.key[0] == "attr" and method.key[-1] in READING


READING = REVEALS | COPIES | ALIASES


def is_call(what: object) -> bool:
    return isinstance(what, str) and (
        what == "call"
        or ("." in what and not what.startswith(("builtins.", "math.", "str.", "torch.", "numpy.", "jax.")))
    )
