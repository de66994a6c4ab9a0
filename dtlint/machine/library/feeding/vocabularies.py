"""How many words does a tokenizer know, and on which ranks was it told more of them?

A tokenizer is a thing nobody knows; how many words it has grown to is kept beside its symbol. An embedding that is made
as large as a tokenizer which some ranks alone have told more words is not the same on all of them.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents import written
from dtlint.machine.contents.opaque import opaque
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training import parts
from dtlint.machine.values import NONE, Row, Symbol, Unknown, Value

WORDS = "number of words"
GROWN = "grown"


def loaded(machine: Machine, call: Invocation) -> Value:
    """Two that are loaded from the same place are two: what one of them is told the other does not know."""
    found = opaque(machine, call.row.name, *call.values)
    return machine.fresh("tokenizer", found.cause, found.tags)


def grown(machine: Machine, call: Invocation) -> Value | None:
    """`tokenizer.add_tokens(words)`"""
    tokenizer = call.receiver
    if isinstance(tokenizer, Unknown):
        before = known(machine, tokenizer) or machine.unknown("len", tokenizer.symbol)
        more = machine.unknown(GROWN, token(before), *map(token, call.values))
        written.write(machine, tokenizer, WORDS, more, before, call.mask)
    return None


def known(machine: Machine, tokenizer: Value) -> Value | None:
    return written.read(machine, tokenizer, WORDS) if isinstance(tokenizer, Unknown) else None


def resized(machine: Machine, call: Invocation) -> Value | None:
    """`model.resize_token_embeddings(len(tokenizer))`; with a number that the size is a multiple of, it may be the same
    after all."""
    size, multiple = call.get("new_num_tokens"), call.get("pad_to_multiple_of")
    if call.receiver is None or (multiple is not None and multiple != NONE):
        return None
    if machine.parted(call.mask):
        decision = parts.rank_decision(machine, call.mask)
        if decision is not None and call.mask != parts.owners(machine, call.receiver, call.mask):
            parts.add(machine, "built", call.receiver, call.mask, decision, decision.cause, call.name)
    elif isinstance(size, Row) and parts.plain(size):
        parts.made_differently(machine, call.receiver, size)
    elif isinstance(size, Row) and grown_by_some(size):
        parts.add(machine, "made", call.receiver, call.mask, None, size.cause)
        parts.differences(machine)[-1].lanes = tuple(str(token(held)) for held in size.lanes)
    return None


def grown_by_some(size: Row) -> bool:
    """Is it the size of one tokenizer, which not all ranks have told the same words?"""
    return len({before_all(held) for held in size.lanes}) == 1 and len(set(map(token, size.lanes))) > 1


def before_all(size: Value) -> Any:
    symbol: Any = token(size)
    while isinstance(symbol, Symbol) and symbol.key[0] == GROWN:
        symbol = symbol.key[1]
    return symbol


MODELS = {"tokenizer_loaded": loaded, "vocabulary_grown": grown, "embedding_resized": resized}
