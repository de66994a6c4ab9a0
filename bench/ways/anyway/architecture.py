import collections
import contextlib
import functools
import types
from dataclasses import dataclass
from typing import Any


class Bus:
    def __init__(self):
        self.handlers = collections.defaultdict(list)

    def on(self, name, handler):
        self.handlers[name].append(handler)

    def emit(self, name, *things):
        for handler in self.handlers[name]:
            handler(*things)


def handler_that_does_not_ask(given, call):
    bus = Bus()
    bus.on("end", lambda wanted: call())
    bus.emit("end", given)


def another_event_is_emitted_before(given, call):
    bus = Bus()
    bus.on("log", lambda: None)
    bus.on("end", call)
    if given:
        bus.emit("log")
    bus.emit("end")


def another_handler_more(given, call):
    bus = Bus()
    if given:
        bus.on("end", lambda: None)
    bus.on("end", call)
    bus.emit("end")


@dataclass
class Event:
    flag: Any
    name: str


def other_field_of_the_event(given, call):
    handlers = {"save": call}
    event = Event(given, "save")
    handlers[event.name]()


class Loud:
    def __init__(self, function, flag=None):
        self.function = function
        self.flag = flag

    def write(self):
        self.function()


class Louder(Loud):
    def write(self):
        super().write()


def two_services(given, call):
    makers = {"writer": (lambda: Loud(call)) if given else (lambda: Louder(call))}
    makers["writer"]().write()


def service_that_knows_it(given, call):
    Loud(call, given).write()


class Guarded:
    def __init__(self, inner, wanted):
        self._inner = inner
        self._wanted = wanted

    def __getattr__(self, name):
        if self._wanted:
            return getattr(self._inner, name)
        return getattr(self._inner, name)


def proxy_that_passes_all(given, call):
    Guarded(Loud(call), given).write()


class Callback:
    def on_step(self, trainer):
        pass

    def on_end(self, trainer):
        pass


class Logs(Callback):
    def on_end(self, trainer):
        if trainer.wanted:
            print("end")


class Saves(Callback):
    def __init__(self, function):
        self.function = function

    def on_end(self, trainer):
        self.function()


class Trainer:
    def __init__(self, wanted, callbacks):
        self.wanted = wanted
        self.callbacks = callbacks

    def fit(self):
        for event in ("on_step", "on_end"):
            for callback in self.callbacks:
                getattr(callback, event)(self)


def callback_beside_one_that_asks(given, call):
    Trainer(given, [Logs(), Saves(call)]).fit()


def callback_more_on_one_side(given, call):
    Trainer(True, [Logs()] * bool(given) + [Saves(call)]).fit()


def callbacks_in_another_order(given, call):
    callbacks = [Logs(), Saves(call)]
    Trainer(True, callbacks if given else callbacks[::-1]).fit()


class Link:
    def __init__(self, following=None):
        self.following = following

    def handle(self, request):
        return self.following.handle(request)


class Notes(Link):
    def handle(self, request):
        if request["wanted"]:
            request["noted"] = True
        return super().handle(request)


class Ends(Link):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def handle(self, request):
        self.function()


def chain_with_a_note(given, call):
    Notes(Ends(call)).handle({"wanted": given})


def layer_more_on_one_side(given, call):
    def logged(following):
        def run(request):
            print("log")
            return following(request)

        return run

    run = lambda request: call()
    layers = [logged, logged] if given else [logged]
    for layer in layers:
        run = layer(run)
    run({})


class Machine:
    table = {("idle", "start"): "running", ("idle", "resume"): "running"}

    def __init__(self, function):
        self.state = "idle"
        self.enter = {"running": function}

    def send(self, event):
        self.state = self.table[self.state, event]
        self.enter[self.state]()


def two_events_that_lead_to_one_state(given, call):
    Machine(call).send("start" if given else "resume")


def state_more_on_one_side(given, call):
    def begin():
        return warm if given else work

    def warm():
        return work

    def work():
        call()

    state = begin
    while state:
        state = state()


class Result:
    def __init__(self, value, failed):
        self.value, self.failed = value, failed

    def then(self, function):
        return function(self.value)


def result_of_both(given, call):
    Result(1, failed=given).then(lambda value: call())


def matched_on_both_sides(given, call):
    match Result(1, given):
        case Result(failed=True):
            call()
        case Result():
            call()


@contextlib.contextmanager
def scope(name, wanted):
    if wanted:
        print("enter", name)
    yield
    if wanted:
        print("leave", name)


def scope_that_tells(given, call):
    with scope("save", given):
        call()


def resource_more_on_one_side(given, call):
    with contextlib.ExitStack() as stack:
        if given:
            stack.enter_context(scope("log", True))
        call()


def strategies_that_do_the_same(given, call):
    class Eager:
        def run(self):
            call()

    class Lazy:
        def run(self):
            function = functools.partial(call)
            function()

    (Eager() if given else Lazy()).run()


def flag_in_settings(given, call):
    settings = types.SimpleNamespace(verbose=given, save=True)
    if settings.save:
        call()


def flag_in_nested_settings(given, call):
    settings = {"log": {"wanted": given}, "save": {"wanted": True}}
    for name, section in settings.items():
        if name == "save" and section["wanted"]:
            call()


class Command:
    def __init__(self, function, note=None):
        self.function = function
        self.note = note

    def execute(self):
        if self.note:
            print(self.note)
        self.function()


def command_with_a_note(given, call):
    for command in [Command(call, "saving" if given else None)]:
        command.execute()


class Reporter:
    def report(self, text):
        pass


class Printing(Reporter):
    def report(self, text):
        print(text)


class Saver:
    def __init__(self, reporter, function):
        self.reporter = reporter
        self.function = function

    def save(self):
        self.reporter.report("begin")
        self.function()
        self.reporter.report("end")


def reporter_of_one_rank(given, call):
    Saver(Printing() if given else Reporter(), call).save()


class Meter:
    def __init__(self):
        self.seen = []

    def update(self, value):
        self.seen.append(value)


def meter_of_one_rank(given, call):
    meter = Meter() if given else None
    for step in range(2):
        if meter is not None:
            meter.update(step)
    call()


class Cache:
    def __init__(self):
        self.items = {}

    def get(self, key, make):
        if key not in self.items:
            self.items[key] = make()
        return self.items[key]


def cached_or_made(given, call):
    cache = Cache()
    if given:
        cache.items["x"] = 1
    cache.get("x", lambda: 1)
    call()


class Watched:
    def __setattr__(self, name, value):
        if value:
            print(name)
        super().__setattr__(name, value)


def watched_attribute(given, call):
    watched = Watched()
    watched.flag = given
    watched.function = call
    watched.function()


class Typed:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, thing, owner=None):
        return getattr(thing, self.name)

    def __set__(self, thing, value):
        setattr(thing, self.name, value)


class Job:
    flag = Typed()
    function = Typed()

    def __init__(self, flag, function):
        self.flag = flag
        self.function = function


def other_descriptor(given, call):
    job = Job(given, call)
    if job.function:
        job.function()


def reducer_that_notes(given, call):
    def reduce(state, action):
        if action["type"] == "note":
            return {**state, "noted": action["value"]}
        if action["type"] == "save":
            call()
        return state

    state = {}
    for action in ({"type": "note", "value": given}, {"type": "save"}):
        state = reduce(state, action)
