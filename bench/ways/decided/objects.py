import abc
import asyncio
import enum
import functools
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Callable


class Job:
    def __init__(self, wanted, function):
        self.wanted = wanted
        self.function = function

    def run(self):
        if self.wanted:
            self.function()

    def run_all(self):
        if not self.ready:
            return
        self.function()

    @property
    def ready(self):
        return bool(self.wanted)

    def __call__(self):
        return self.run()

    def __iter__(self):
        if self.wanted:
            yield self.function


def method(given, call):
    Job(given, call).run()


def by_property(given, call):
    Job(given, call).run_all()


def called_object(given, call):
    Job(given, call)()


def iterated_object(given, call):
    for step in Job(given, call):
        step()


def set_later(given, call):
    job = Job(False, call)
    job.wanted = given
    job.run()


def disabled(given, call):
    job = Job(True, call)
    if not given:
        job.wanted = False
    job.run()


class Quiet:
    def run(self, function):
        pass


class Loud(Quiet):
    def run(self, function):
        function()


def chosen_class(given, call):
    (Loud if given else Quiet)().run(call)


def chosen_object(given, call):
    saver = Loud() if given else Quiet()
    saver.run(call)


def chosen_by_a_factory(given, call):
    made("loud" if given else "quiet").run(call)


def made(name):
    if name == "loud":
        return Loud()
    return Quiet()


def chosen_by_a_table(given, call):
    {"loud": Loud, "quiet": Quiet}["loud" if given else "quiet"]().run(call)


def by_isinstance(given, call):
    saver = Loud() if given else Quiet()
    if isinstance(saver, Loud):
        call()


def by_hasattr(given, call):
    holder = Quiet()
    if given:
        holder.ready = True
    if hasattr(holder, "ready"):
        call()


class Stage(abc.ABC):
    def run(self, function):
        if self.wants():
            function()

    @abc.abstractmethod
    def wants(self): ...


class Always(Stage):
    def wants(self):
        return True


class Asking(Stage):
    def __init__(self, wanted):
        self.wanted = wanted

    def wants(self):
        return self.wanted


def template_method(given, call):
    Asking(given).run(call)


class Callbacks:
    def __init__(self):
        self.ends = []

    def on_end(self, function):
        self.ends.append(function)
        return function

    def end(self):
        for function in self.ends:
            function()


def registered_by_decorator(given, call):
    events = Callbacks()
    if given:

        @events.on_end
        def step():
            call()

    events.end()


@dataclass
class Plan:
    wanted: bool
    steps: list[Callable] = field(default_factory=list)

    def run(self):
        for step in self.steps:
            if self.wanted:
                step()


def data_class(given, call):
    Plan(given, [call]).run()


def method_put_on_an_object(given, call):
    saver = Quiet()
    if given:
        saver.run = lambda function: function()
    saver.run(call)


def method_by_name(given, call):
    job = Named(call)
    getattr(job, "run_go" if given else "run_stay")()


class Named:
    def __init__(self, function):
        self.function = function

    def run_go(self):
        self.function()

    def run_stay(self):
        pass


def method_by_name_or_none(given, call):
    step = getattr(Named(call), "run_go" if given else "run_nothing", None)
    if callable(step):
        step()


def bound_method_kept(given, call):
    job = Named(call)
    steps = {"go": job.run_go, "stay": job.run_stay}
    steps["go" if given else "stay"]()


class State(enum.Enum):
    IDLE = 0
    SAVING = 1


def state_machine(given, call):
    state = State.SAVING if given else State.IDLE
    while state is not State.IDLE:
        call()
        state = State.IDLE


def optional_object(given, call):
    writer = Loud() if given else None
    if writer:
        writer.run(call)


def null_object(given, call):
    writer = Null()
    if given:
        writer = Loud()
    writer.run(call)


class Null:
    def __getattr__(self, name):
        return lambda *things: None


def proxy(given, call):
    Guard(Loud(), given).run(call)


class Guard:
    def __init__(self, inner, wanted):
        self.inner = inner
        self.wanted = wanted

    def __getattr__(self, name):
        if not self.wanted:
            return lambda *things: None
        return getattr(self.inner, name)


def super_or_not(given, call):
    Choosy(given).run(call)


class Choosy(Loud):
    def __init__(self, wanted):
        self.wanted = wanted

    def run(self, function):
        if self.wanted:
            super().run(function)


def mixed_in(given, call):
    Both(given).run(call)


class OnlyWanted:
    def run(self, function):
        if self.wanted:
            super().run(function)


class Both(OnlyWanted, Loud):
    def __init__(self, wanted):
        self.wanted = wanted


def method_decorated(given, call):
    Decorated(given).run(call)


def when_wanted(method):
    @functools.wraps(method)
    def inner(self, *things):
        if not self.wanted:
            return None
        return method(self, *things)

    return inner


class Decorated:
    def __init__(self, wanted):
        self.wanted = wanted

    @when_wanted
    def run(self, function):
        function()


def lazily(given, call):
    lazy = Lazy(call)
    if given:
        lazy.thing


class Lazy:
    def __init__(self, function):
        self.function = function

    @functools.cached_property
    def thing(self):
        self.function()
        return True


def by_setter(given, call):
    Watching(call).level = int(given)


class Watching:
    def __init__(self, function):
        self.function = function

    @property
    def level(self):
        return 0

    @level.setter
    def level(self, number):
        if number:
            self.function()


def awaited(given, call):
    asyncio.run(calling(given, call))


async def calling(wanted, function):
    if wanted:
        function()


def queued(given, call):
    line = queue.Queue()
    if given:
        line.put(call)
    while not line.empty():
        line.get()()


def by_thread(given, call):
    worker = threading.Thread(target=call)
    if given:
        worker.start()
        worker.join()


def by_pool(given, call):
    with ThreadPoolExecutor(max_workers=1) as pool:
        if given:
            pool.submit(call).result()


def by_new(given, call):
    Making(given, call)


class Making:
    def __init__(self, wanted, function):
        if wanted:
            function()


def by_after_init(given, call):
    Prepared(given, call)


@dataclass
class Prepared:
    wanted: bool
    function: Callable

    def __post_init__(self):
        if self.wanted:
            self.function()


def by_class_attribute(given, call):
    Switch.on = bool(given)
    Switch().run(call)


class Switch:
    on = False

    def run(self, function):
        if self.on:
            function()


def by_step_method(given, call):
    trainer = Trainer(given, call)
    trainer.fit()


class Trainer:
    def __init__(self, wanted, function):
        self.every = 1 if wanted else 10
        self.function = function
        self.step = 0

    def fit(self):
        for _ in range(2):
            self.one_step()

    def one_step(self):
        self.step += 1
        if self.step % self.every == 0 and self.step == 2:
            self.function()
