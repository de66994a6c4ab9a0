import asyncio
import contextlib
import contextvars
import itertools
import queue
import threading
from contextlib import contextmanager


def yielded(given, other):
    return next(giving(given, other))


def giving(first, second):
    yield first
    yield second


def second_yield(given, other):
    walker = giving(other, given)
    next(walker)
    return next(walker)


def yielded_from(given, other):
    return list(passing(other, given))[1]


def passing(first, second):
    yield from giving(first, second)


def returned_by_yield_from(given, other):
    return list(outer(given))[-1]


def outer(thing):
    answer = yield from inner(thing)
    yield answer


def inner(thing):
    yield None
    return thing


def sent(given, other):
    walker = listening()
    next(walker)
    return walker.send(given)


def listening():
    heard = yield
    yield heard


def generator_expression(given, other):
    return next(thing for thing in (given, other))


def generator_found(given, other):
    return next((thing for name, thing in (("a", other), ("b", given)) if name == "b"), None)


def default_of_next(given, other):
    return next(iter(()), given)


def looped_generator(given, other):
    answer = other
    for thing in giving(other, given):
        answer = thing
    return answer


def unpacked_generator(given, other):
    first, second = giving(given, other)
    return first


def method_that_yields(given, other):
    return list(Source(given, other))[0]


class Source:
    def __init__(self, first, second):
        self.first = first
        self.second = second

    def __iter__(self):
        yield self.first
        yield self.second


def own_iterator(given, other):
    for thing in Walker([other, given]):
        answer = thing
    return answer


class Walker:
    def __init__(self, things):
        self.things = things
        self.place = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.place >= len(self.things):
            raise StopIteration
        self.place += 1
        return self.things[self.place - 1]


def sentinel_iterator(given, other):
    things = [None, given]
    answer = other
    for thing in iter(things.pop, None):
        answer = thing
    return answer


def teed(given, other):
    left, right = itertools.tee([given, other])
    next(left)
    return next(right)


def repeated(given, other):
    return next(itertools.repeat(given))


def cycled(given, other):
    walker = itertools.cycle([other, given])
    next(walker)
    return next(walker)


def product(given, other):
    for left, right in itertools.product([given], [other]):
        answer = left
    return answer


def compressed(given, other):
    return next(itertools.compress([other, given], [False, True]))


def accumulated(given, other):
    return list(itertools.accumulate([0, int(given)]))[1]


def grouped(given, other):
    for name, things in itertools.groupby([given], key=lambda thing: "all"):
        answer = list(things)[0]
    return answer


def longest(given, other):
    return list(itertools.zip_longest([other], [other, given]))[1][1]


def managed(given, other):
    with lending(given, other) as answer:
        pass
    return answer


@contextmanager
def lending(first, second):
    try:
        yield first
    finally:
        second = None


def managed_by_a_stack(given, other):
    with contextlib.ExitStack() as stack:
        stack.enter_context(lending(other, other))
        answer = stack.enter_context(lending(given, other))
    return answer


def null_context(given, other):
    with contextlib.nullcontext(given) as answer:
        pass
    return answer


def context_variable(given, other):
    seen.set(given)
    return seen.get()


seen = contextvars.ContextVar("seen", default=None)


def local_of_a_thread(given, other):
    local.thing = given
    return local.thing


local = threading.local()


def through_a_thread(given, other):
    box = []
    worker = threading.Thread(target=box.append, args=(given,))
    worker.start()
    worker.join()
    return box[0]


def through_a_queue(given, other):
    line = queue.Queue()
    line.put(given)
    line.put(other)
    return line.get()


def awaited(given, other):
    return asyncio.run(answering(given, other))


async def answering(first, second):
    return first


def gathered(given, other):
    return asyncio.run(both(given, other))[0]


async def both(first, second):
    return await asyncio.gather(answering(first, second), answering(second, first))


def async_generator(given, other):
    return asyncio.run(last_of(given, other))


async def last_of(first, second):
    async for thing in streaming(second, first):
        answer = thing
    return answer


async def streaming(first, second):
    yield first
    yield second
