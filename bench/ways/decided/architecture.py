import collections
import contextlib
import enum
import functools
import heapq
import types
from dataclasses import dataclass, field
from typing import Any, Callable


class Bus:
    def __init__(self):
        self.handlers = collections.defaultdict(list)

    def on(self, name, handler):
        self.handlers[name].append(handler)

    def emit(self, name, *things, **named):
        for handler in self.handlers[name]:
            handler(*things, **named)


def emitted(given, call):
    bus = Bus()
    bus.on("end", call)
    if given:
        bus.emit("end")


def subscribed(given, call):
    bus = Bus()
    if given:
        bus.on("end", call)
    bus.emit("end")


def asked_by_the_handler(given, call):
    bus = Bus()
    bus.on("end", lambda wanted: wanted and call())
    bus.emit("end", given)


def other_event(given, call):
    bus = Bus()
    bus.on("save", call)
    bus.emit("save" if given else "skip")


@dataclass
class Saving:
    wanted: Any


@dataclass
class Stopping:
    wanted: Any


class TypedBus:
    def __init__(self):
        self._handlers: dict[type, list[Callable]] = {}

    def subscribe(self, kind, handler):
        self._handlers.setdefault(kind, []).append(handler)

    def publish(self, event):
        for handler in self._handlers.get(type(event), []):
            handler(event)


class Saver:
    def __init__(self, function):
        self.function = function

    def on_saving(self, event):
        if event.wanted:
            self.function()


def by_the_type_of_an_event(given, call):
    bus = TypedBus()
    bus.subscribe(Saving, Saver(call).on_saving)
    bus.publish(Saving(given))


def event_of_another_type(given, call):
    bus = TypedBus()
    bus.subscribe(Saving, lambda event: call())
    bus.publish((Saving if given else Stopping)(True))


class Container:
    def __init__(self):
        self._makers = {}

    def register(self, name, maker):
        self._makers[name] = maker

    def resolve(self, name):
        return self._makers[name](self)


class Loud:
    def __init__(self, function):
        self.function = function

    def write(self):
        self.function()


class Silent:
    def write(self):
        pass


def service_by_a_container(given, call):
    container = Container()
    container.register("writer", lambda box: Loud(call) if given else Silent())
    container.resolve("writer").write()


def registered_again(given, call):
    container = Container()
    container.register("writer", lambda box: Silent())
    if given:
        container.register("writer", lambda box: Loud(call))
    container.resolve("writer").write()


class Okay:
    def __init__(self, value):
        self.value = value

    def then(self, function):
        return function(self.value)


class Failed:
    def then(self, function):
        return self


def checked(value):
    return Okay(value) if value else Failed()


def then_of_a_result(given, call):
    checked(given).then(lambda value: call())


def isinstance_of_a_result(given, call):
    if isinstance(checked(given), Okay):
        call()


def matched_result(given, call):
    match checked(given):
        case Okay():
            call()
        case Failed():
            pass


class Maybe:
    def __init__(self, *items):
        self.items = items

    def __iter__(self):
        return iter(self.items)

    def __bool__(self):
        return bool(self.items)


def maybe_walked_over(given, call):
    for item in Maybe(1) if given else Maybe():
        call()


def maybe_asked(given, call):
    if Maybe(*([1] if given else [])):
        call()


class Setting:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, thing, owner=None):
        return getattr(thing, self.name)

    def __set__(self, thing, value):
        setattr(thing, self.name, value)


class Settings:
    enabled = Setting()

    def __init__(self, enabled):
        self.enabled = enabled


def asked_of_a_descriptor(given, call):
    if Settings(given).enabled:
        call()


class Guarded:
    def __init__(self, inner, wanted):
        self._inner = inner
        self._wanted = wanted

    def __getattr__(self, name):
        method = getattr(self._inner, name)
        if not self._wanted:
            return lambda *things: None
        return method


def guarding_proxy(given, call):
    Guarded(Loud(call), given).write()


def always_wrapped_proxy(given, call):
    class Wrapped:
        def __init__(self, inner):
            self.inner = inner

        def __getattr__(self, name):
            return functools.partial(self.perform, name)

        def perform(self, name, *things):
            if given:
                return getattr(self.inner, name)(*things)

    Wrapped(Loud(call)).write()


WRITERS = {}


def writer(name):
    def keep(kind):
        WRITERS[name] = kind
        return kind

    return keep


@writer("loud")
class LoudWriter:
    def __init__(self, function):
        self.function = function

    def write(self):
        self.function()


@writer("silent")
class SilentWriter:
    def __init__(self, function):
        pass

    def write(self):
        pass


def plugin_by_name(given, call):
    WRITERS["loud" if given else "silent"](call).write()


def plugin_by_settings(given, call):
    settings = {"type": "silent"}
    if given:
        settings["type"] = "loud"
    settings = dict(settings)
    WRITERS[settings.pop("type")](call, **settings).write()


def several_plugins(given, call):
    names = ["silent", "loud"] if given else ["silent"]
    for each in [WRITERS[name](call) for name in names]:
        each.write()


class Node:
    def __init__(self, run=None, children=()):
        self.run = run
        self.children = list(children)

    def execute(self):
        if self.run is not None:
            self.run()
        for child in self.children:
            child.execute()


def composite_with_a_child_more(given, call):
    tree = Node(children=[Node()])
    if given:
        tree.children.append(Node(call))
    tree.execute()


def composite_of_a_function_or_none(given, call):
    Node(children=[Node(), Node(call if given else None)]).execute()


class Visitor:
    def visit(self, node):
        return getattr(self, "visit_" + node["kind"], self.generic)(node)

    def generic(self, node):
        pass


class Writes(Visitor):
    def __init__(self, function):
        self.function = function

    def visit_write(self, node):
        self.function()


def visited_by_kind(given, call):
    Writes(call).visit({"kind": "write" if given else "read"})


class Always:
    def holds(self, state):
        return True


class Flag:
    def __init__(self, name):
        self.name = name

    def holds(self, state):
        return state[self.name]


class All:
    def __init__(self, *rules):
        self.rules = rules

    def holds(self, state):
        return all(rule.holds(state) for rule in self.rules)


class Not:
    def __init__(self, rule):
        self.rule = rule

    def holds(self, state):
        return not self.rule.holds(state)


def rule_objects(given, call):
    if All(Always(), Not(Not(Flag("wanted")))).holds({"wanted": given}):
        call()


class Trigger:
    def __init__(self, every):
        self.every = every

    def __call__(self, step):
        return step % self.every == 0


def chosen_trigger(given, call):
    trigger = Trigger(1) if given else (lambda step: False)
    if trigger(3):
        call()


class Builder:
    def __init__(self):
        self.steps = []

    def add(self, step):
        self.steps.append(step)
        return self

    def add_if(self, wanted, step):
        return self.add(step) if wanted else self

    def build(self):
        def run():
            for step in self.steps:
                step()

        return run


def built_with_a_step_more(given, call):
    Builder().add(lambda: None).add_if(given, call).add(lambda: None).build()()


@dataclass
class Command:
    function: Callable
    wanted: Any = True

    def execute(self):
        if self.wanted:
            self.function()


class Invoker:
    def __init__(self):
        self.commands = []

    def store(self, command):
        self.commands.append(command)

    def run(self):
        for command in self.commands:
            command.execute()


def command_asks(given, call):
    invoker = Invoker()
    invoker.store(Command(lambda: None))
    invoker.store(Command(call, given))
    invoker.run()


def command_stored(given, call):
    invoker = Invoker()
    if given:
        invoker.store(Command(call))
    invoker.run()


class History:
    def __init__(self):
        self.done = []

    def push(self, function):
        self.done.append(function)

    def rewind(self):
        while self.done:
            self.done.pop()()


def undone_in_the_end(given, call):
    history = History()
    if given:
        history.push(call)
    history.rewind()


class Link:
    def __init__(self, following=None):
        self.following = following

    def handle(self, request):
        if self.following:
            self.following.handle(request)


class Stops(Link):
    def handle(self, request):
        if request["wanted"]:
            super().handle(request)


class Ends(Link):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def handle(self, request):
        self.function()


def stopped_in_a_chain(given, call):
    Link(Stops(Ends(call))).handle({"wanted": given})


def middleware(given, call):
    def only_wanted(following):
        def run(request):
            if not request["wanted"]:
                return None
            return following(request)

        return run

    def logged(following):
        def run(request):
            return following({**request, "logged": True})

        return run

    run = lambda request: call()
    for layer in [logged, only_wanted]:
        run = layer(run)
    run({"wanted": given})


def middleware_with_next(given, call):
    def only_wanted(request, following):
        return following(request) if request else None

    def through(request, following):
        return following(request)

    layers = [through, only_wanted, lambda request, following: call()]

    def run(number, request):
        if number < len(layers):
            return layers[number](request, functools.partial(run, number + 1))

    run(0, given)


class Loop:
    def __init__(self, strategy):
        self.strategy = strategy

    def step(self):
        if self.strategy.should_save():
            self.save()

    def save(self):
        raise NotImplementedError


class Saves(Loop):
    function = None

    def save(self):
        self.function()


class EveryStep:
    def should_save(self):
        return True


class Never:
    def should_save(self):
        return False


def strategy_decides(given, call):
    loop = Saves(EveryStep() if given else Never())
    loop.function = call
    loop.step()


def strategy_by_table(given, call):
    strategies = {True: EveryStep, False: Never}
    loop = Saves(strategies[bool(given)]())
    loop.function = call
    loop.step()


class Machine:
    table = {("idle", "start"): "running", ("running", "stop"): "idle"}

    def __init__(self, function):
        self.state = "idle"
        self.enter = {"running": function}

    def send(self, event):
        following = self.table.get((self.state, event))
        if following is None:
            return
        self.state = following
        if self.state in self.enter:
            self.enter[self.state]()


def event_of_a_state_table(given, call):
    Machine(call).send("start" if given else "stop")


class Idle:
    def next(self, context):
        return Working() if context["wanted"] else None


class Working:
    def next(self, context):
        context["call"]()
        return None


def state_objects(given, call):
    state = Idle()
    while state is not None:
        state = state.next({"wanted": given, "call": call})


class Phase(enum.Enum):
    begin = enum.auto()
    work = enum.auto()
    end = enum.auto()


def phases_in_a_loop(given, call):
    phase = Phase.begin
    while phase is not Phase.end:
        if phase is Phase.begin:
            phase = Phase.work if given else Phase.end
        elif phase is Phase.work:
            call()
            phase = Phase.end


def state_functions(given, call):
    def begin():
        return work if given else None

    def work():
        call()

    state = begin
    while state:
        state = state()


class Actor:
    def __init__(self, function):
        self.inbox = collections.deque()
        self.function = function

    def tell(self, kind, **body):
        self.inbox.append((kind, body))

    def run(self):
        while self.inbox:
            kind, body = self.inbox.popleft()
            getattr(self, f"on_{kind}")(**body)

    def on_plan(self, wanted):
        if wanted:
            self.tell("save")

    def on_save(self):
        self.function()


def told_to_an_actor(given, call):
    actor = Actor(call)
    actor.tell("plan", wanted=given)
    actor.run()


def message_left_out(given, call):
    actor = Actor(call)
    if given:
        actor.tell("save")
    actor.run()


class Schedule:
    def __init__(self):
        self.events = []

    def at(self, time, function):
        heapq.heappush(self.events, (time, len(self.events), function))

    def run_until(self, end):
        while self.events and self.events[0][0] <= end:
            heapq.heappop(self.events)[2]()


def scheduled_too_late(given, call):
    schedule = Schedule()
    schedule.at(1, lambda: None)
    schedule.at(2 if given else 9, call)
    schedule.run_until(5)


def scheduled_or_not(given, call):
    schedule = Schedule()
    schedule.at(1, lambda: None)
    if given:
        schedule.at(2, call)
    schedule.run_until(5)


class Observable:
    def __init__(self, value):
        self._value = value
        self.observers = []

    def set(self, value):
        if value != self._value:
            self._value = value
            for observer in self.observers:
                observer()


def observed_change(given, call):
    observable = Observable(False)
    observable.observers.append(call)
    observable.set(bool(given))


class Watched:
    def __init__(self, function):
        self.function = function

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name == "state" and value == "ready":
            self.function()


def watched_attribute(given, call):
    Watched(call).state = "ready" if given else "waiting"


class Callback:
    def on_step(self, trainer):
        pass

    def on_end(self, trainer):
        pass


class SavesOnEnd(Callback):
    def __init__(self, function):
        self.function = function

    def on_end(self, trainer):
        if trainer.wanted:
            self.function()


class Trainer:
    def __init__(self, wanted, callbacks=()):
        self.wanted = wanted
        self.callbacks = list(callbacks)

    def fire(self, event):
        for callback in self.callbacks:
            getattr(callback, event)(self)

    def fit(self):
        self.fire("on_step")
        self.fire("on_end")


def callback_asks_the_trainer(given, call):
    Trainer(given, [Callback(), SavesOnEnd(call)]).fit()


def callback_added(given, call):
    trainer = Trainer(True)
    if given:
        trainer.callbacks.append(SavesOnEnd(call))
    trainer.fit()


def callback_filtered(given, call):
    callbacks = [Callback(), SavesOnEnd(call)]
    trainer = Trainer(True, [one for one in callbacks if given or not isinstance(one, SavesOnEnd)])
    trainer.fit()


class Stop(Exception):
    pass


class StopsEarly(Callback):
    def on_step(self, trainer):
        if not trainer.wanted:
            raise Stop


def callback_raises(given, call):
    trainer = Trainer(given, [StopsEarly()])
    try:
        trainer.fit()
    except Stop:
        return
    call()


class StepControl:
    def __init__(self):
        self.should_stop = False


def control_object(given, call):
    control = StepControl()

    def on_step(control):
        control.should_stop = not given

    for function in (on_step,):
        function(control)
    if not control.should_stop:
        call()


def control_returned(given, call):
    def on_step(control):
        return types.SimpleNamespace(save=given)

    control = types.SimpleNamespace(save=False)
    for function in (on_step, lambda control: None):
        control = function(control) or control
    if control.save:
        call()


class Cooperative:
    def setup(self):
        pass


class AsksFirst(Cooperative):
    def setup(self):
        if self.wanted:
            super().setup()


class Calls(Cooperative):
    def setup(self):
        super().setup()
        self.function()


class Mixed(AsksFirst, Calls):
    def __init__(self, wanted, function):
        self.wanted = wanted
        self.function = function


def cooperative_super(given, call):
    Mixed(given, call).setup()


def class_with_other_bases(given, call):
    bases = (Loud,) if given else (Silent,)
    made = type("Made", bases, {})
    (made(call) if given else made()).write()


def class_made_in_a_function(given, call):
    def make(wanted):
        class Made:
            active = wanted

            def run(self):
                if self.active:
                    call()

        return Made

    make(given)().run()


class Resource:
    def __init__(self, function):
        self.function = function

    def __enter__(self):
        return self

    def __exit__(self, *reasons):
        self.function()


def chosen_resource(given, call):
    with Resource(call) if given else contextlib.nullcontext():
        pass


def resource_on_a_stack(given, call):
    with contextlib.ExitStack() as stack:
        if given:
            stack.enter_context(Resource(call))


def callback_on_a_stack(given, call):
    with contextlib.ExitStack() as stack:
        stack.callback(call)
        if not given:
            stack.pop_all()


ENABLED = []


@contextlib.contextmanager
def enabled(wanted):
    ENABLED.append(wanted)
    try:
        yield
    finally:
        ENABLED.pop()


def asked_of_a_stack_of_settings(given, call):
    with enabled(given):
        if ENABLED[-1]:
            call()


class Graph:
    def __init__(self):
        self.nodes = {}

    def task(self, *needed):
        def keep(function):
            self.nodes[function.__name__] = (function, needed)
            return function

        return keep

    def run(self, name, done=None):
        done = set() if done is None else done
        function, needed = self.nodes[name]
        for one in needed:
            if one not in done:
                self.run(one, done)
        done.add(name)
        function()


def task_that_needs_another(given, call):
    graph = Graph()

    @graph.task()
    def prepare():
        call()

    @graph.task(*(["prepare"] if given else []))
    def train():
        pass

    graph.run("train")


class Signal:
    def __init__(self):
        self.slots = []

    def connect(self, slot):
        self.slots.append(slot)
        return slot

    def disconnect(self, slot):
        self.slots.remove(slot)

    def send(self):
        for slot in list(self.slots):
            slot()


def disconnected(given, call):
    ended = Signal()
    ended.connect(call)
    if not given:
        ended.disconnect(call)
    ended.send()


@dataclass
class Plan:
    steps: list = field(default_factory=list)

    def __iadd__(self, step):
        self.steps.append(step)
        return self

    def __len__(self):
        return len(self.steps)

    def __iter__(self):
        return iter(self.steps)


def plan_with_a_step_more(given, call):
    plan = Plan()
    if given:
        plan += call
    for step in plan:
        step()


def plan_that_is_not_empty(given, call):
    plan = Plan(["step"] if given else [])
    if plan:
        call()


class Config(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


def nested_settings(given, call):
    settings = Config(train=Config(save=False), data=Config(save=True))
    settings.train.save = given
    if settings.train.save:
        call()


def settings_by_dotted_override(given, call):
    settings = {"train": {"save": False}}
    overrides = {"train.save": given}
    for path, value in overrides.items():
        *parts, last = path.split(".")
        inner = settings
        for part in parts:
            inner = inner[part]
        inner[last] = value
    if settings["train"]["save"]:
        call()


@dataclass(frozen=True)
class Role:
    name: str
    may_save: bool = False


ROLES = {True: Role("chief", may_save=True), False: Role("worker")}


def role_of_a_table(given, call):
    if ROLES[bool(given)].may_save:
        call()


class Permission(enum.Flag):
    nothing = 0
    read = enum.auto()
    save = enum.auto()


def permissions(given, call):
    permission = Permission.read | (Permission.save if given else Permission.nothing)
    if Permission.save in permission:
        call()


class Capabilities:
    def __init__(self, *names):
        self.names = frozenset(names)

    def __contains__(self, name):
        return name in self.names


def capabilities(given, call):
    mine = Capabilities("train", "save") if given else Capabilities("train")
    if "save" in mine:
        call()


class Feature:
    registry = {}

    def __init_subclass__(cls, name, **rest):
        super().__init_subclass__(**rest)
        Feature.registry[name] = cls

    def run(self, function):
        pass


class SaveFeature(Feature, name="save"):
    def run(self, function):
        function()


class LogFeature(Feature, name="log"):
    pass


def features_by_name(given, call):
    for name in ("log", "save") if given else ("log",):
        Feature.registry[name]().run(call)


def lazily_created(given, call):
    class Holder:
        _writer = None

        @property
        def writer(self):
            if self._writer is None:
                self._writer = Loud(call)
            return self._writer

    holder = Holder()
    if given:
        holder.writer.write()


def none_instead_of_a_service(given, call):
    services = types.SimpleNamespace(writer=Loud(call) if given else None)
    if services.writer is not None:
        services.writer.write()


def try_first_then_next(given, call):
    def first():
        if not given:
            raise LookupError
        return call

    def second():
        return lambda: None

    for candidate in (first, second):
        try:
            function = candidate()
        except LookupError:
            continue
        function()
        break


class Retry:
    def __init__(self, times):
        self.times = times

    def __call__(self, function):
        @functools.wraps(function)
        def run(*things):
            for _ in range(self.times):
                function(*things)

        return run


def decorated_by_an_object(given, call):
    @Retry(1 if given else 0)
    def save():
        call()

    save()


class Method:
    def __init__(self, function):
        self.function = function

    def __get__(self, thing, owner=None):
        return functools.partial(self, thing)

    def __call__(self, thing):
        if thing.wanted:
            return self.function(thing)


class Job:
    def __init__(self, wanted, function):
        self.wanted = wanted
        self.function = function

    @Method
    def save(self):
        self.function()


def method_by_a_descriptor(given, call):
    Job(given, call).save()


def reducer(state, action):
    if action["type"] == "want":
        return {**state, "wanted": action["value"]}
    return state


class Store:
    def __init__(self, state):
        self.state = state
        self.listeners = []

    def dispatch(self, **action):
        self.state = reducer(self.state, action)
        for listener in self.listeners:
            listener(self.state)


def listener_of_a_store(given, call):
    store = Store({"wanted": False})
    store.listeners.append(lambda state: state["wanted"] and call())
    store.dispatch(type="want", value=given)


def coroutine_of_steps(given, call):
    def steps():
        yield "begin"
        if given:
            yield "save"
        yield "end"

    actions = {"save": call}
    for step in steps():
        actions.get(step, lambda: None)()


def thunks(given, call):
    thunk = (lambda: call()) if given else None
    pending = [thunk] if thunk else []
    while pending:
        pending.pop()()


def trampolined(given, call):
    def begin():
        return lambda: end(given)

    def end(wanted):
        return call if wanted else None

    step = begin
    while callable(step):
        step = step()


def version_compared(given, call):
    versions = collections.namedtuple("Version", "major minor")
    have = versions(2, 1) if given else versions(1, 9)
    if have >= (2, 0):
        call()


def budget(given, call):
    class Budget:
        def __init__(self, left):
            self.left = left

        def take(self, amount):
            if self.left < amount:
                return False
            self.left -= amount
            return True

    mine = Budget(3 if given else 2)
    if mine.take(1) and mine.take(2):
        call()


def token_ring(given, call):
    ring = collections.deque(["me", "you"])
    if not given:
        ring.rotate(1)
    if ring[0] == "me":
        call()
