import abc
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import heapq
import inspect
import itertools
import json
import operator
import types
import weakref
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, Generic, Protocol, TypeVar

Item = TypeVar("Item")


class Bus:
    def __init__(self):
        self.handlers = collections.defaultdict(list)

    def on(self, name, handler):
        self.handlers[name].append(handler)

    def emit(self, name, *things):
        return [handler(*things) for handler in self.handlers[name]]


def answered_by_a_bus(given, other):
    bus = Bus()
    bus.on("start", lambda: other)
    bus.on("end", lambda: given)
    bus.emit("start")
    return bus.emit("end")[0]


def kept_by_a_listener(given, other):
    seen = {}
    bus = Bus()
    bus.on("a", functools.partial(seen.__setitem__, "a"))
    bus.on("b", functools.partial(seen.__setitem__, "b"))
    bus.emit("a", given)
    bus.emit("b", other)
    return seen["a"]


@dataclass(frozen=True)
class Started:
    flag: Any


@dataclass(frozen=True)
class Stopped:
    flag: Any


class TypedBus:
    def __init__(self):
        self._handlers: dict[type, list[Callable]] = {}

    def subscribe(self, kind, handler):
        self._handlers.setdefault(kind, []).append(handler)

    def publish(self, event):
        for handler in self._handlers.get(type(event), ()):
            handler(event)


class Recorder:
    def __init__(self, bus):
        self.started = self.stopped = None
        bus.subscribe(Started, self.on_started)
        bus.subscribe(Stopped, self.on_stopped)

    def on_started(self, event):
        self.started = event.flag

    def on_stopped(self, event):
        self.stopped = event.flag


def event_by_its_type(given, other):
    bus = TypedBus()
    recorder = Recorder(bus)
    bus.publish(Started(given))
    bus.publish(Stopped(other))
    return recorder.started


class Container:
    def __init__(self):
        self._makers = {}
        self._made = {}

    def register(self, name, maker):
        self._makers[name] = maker
        return self

    def get(self, name):
        if name not in self._made:
            self._made[name] = self._makers[name](self)
        return self._made[name]

    __getitem__ = get


def from_a_container(given, other):
    container = Container()
    container.register("flag", lambda box: given)
    container.register("rest", lambda box: other)
    return container.get("flag")


class Service:
    def __init__(self, flag, rest):
        self.flag = flag
        self.rest = rest


def from_a_container_of_services(given, other):
    container = (
        Container()
        .register("flag", lambda box: given)
        .register("rest", lambda box: other)
        .register("service", lambda box: Service(box["flag"], box["rest"]))
    )
    return container["service"].flag


class Scope:
    def __init__(self, parent=None, **values):
        self.parent = parent
        self.values = values

    def look_up(self, name):
        if name in self.values:
            return self.values[name]
        if self.parent is None:
            raise LookupError(name)
        return self.parent.look_up(name)

    def child(self, **values):
        return Scope(self, **values)


def looked_up_in_scopes(given, other):
    scope = Scope(flag=other, rest=other).child(flag=given).child(rest=given)
    return scope.look_up("flag")


def looked_up_in_the_outer_scope(given, other):
    scope = Scope(flag=given).child(rest=other)
    return scope.look_up("flag")


class Okay:
    def __init__(self, value):
        self.value = value

    def map(self, function):
        return Okay(function(self.value))

    def then(self, function):
        return function(self.value)

    def or_else(self, default):
        return self.value

    is_okay = True


class Error:
    def __init__(self, reason):
        self.reason = reason

    def map(self, function):
        return self

    def then(self, function):
        return self

    def or_else(self, default):
        return default

    is_okay = False


def result_mapped(given, other):
    return Okay(other).map(lambda old: given).or_else(other)


def result_chained(given, other):
    return Okay(given).then(lambda flag: Okay((flag, other))).map(operator.itemgetter(0)).or_else(other)


def result_of_an_error(given, other):
    return Error(other).map(lambda old: other).or_else(given)


class Maybe(Generic[Item]):
    __slots__ = ("_items",)

    def __init__(self, *items):
        self._items = items

    @classmethod
    def some(cls, item):
        return cls(item)

    @classmethod
    def nothing(cls):
        return cls()

    def get_or(self, default):
        for item in self._items:
            return item
        return default


def some_of_maybe(given, other):
    return Maybe.some(given).get_or(other)


def none_of_maybe(given, other):
    return Maybe.nothing().get_or(given)


class Typed:
    def __init__(self, default=None):
        self.default = default

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, thing, owner=None):
        if thing is None:
            return self
        return getattr(thing, self.name, self.default)

    def __set__(self, thing, value):
        setattr(thing, self.name, value)


class Options:
    flag = Typed()
    rest = Typed(default=False)

    def __init__(self, flag, rest):
        self.flag = flag
        self.rest = rest


def data_descriptor(given, other):
    return Options(given, other).flag


def data_descriptor_set_again(given, other):
    options = Options(other, given)
    options.flag = given
    options.rest = other
    return options.flag


class InItsDictionary:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, thing, owner=None):
        return thing.__dict__[self.name]

    def __set__(self, thing, value):
        thing.__dict__[self.name] = value


class Checked:
    flag = InItsDictionary()
    rest = InItsDictionary()

    def __init__(self, **values):
        for name, value in values.items():
            setattr(self, name, value)


def descriptor_that_keeps_in_the_dictionary(given, other):
    return Checked(flag=given, rest=other).flag


class Once:
    def __init__(self, function):
        self.function = function

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, thing, owner):
        value = self.function(thing)
        thing.__dict__[self.name] = value
        return value


class Slow:
    def __init__(self, given, other):
        self.given, self.other = given, other

    @Once
    def flag(self):
        return self.given

    @Once
    def rest(self):
        return self.other


def own_cached_property(given, other):
    slow = Slow(given, other)
    slow.rest
    return slow.flag


class Proxy:
    def __init__(self, inner):
        object.__setattr__(self, "_inner", inner)

    def __getattr__(self, name):
        return getattr(object.__getattribute__(self, "_inner"), name)

    def __setattr__(self, name, value):
        setattr(object.__getattribute__(self, "_inner"), name, value)


def read_through_a_proxy(given, other):
    return Proxy(Service(given, other)).flag


def written_through_a_proxy(given, other):
    service = Service(other, given)
    proxy = Proxy(service)
    proxy.flag = given
    proxy.rest = other
    return service.flag


class Recording:
    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        def record(*things, **named):
            self.calls.append((name, things))
            return self

        return record


def recorded_calls(given, other):
    recording = Recording()
    recording.rest(other).flag(given)
    return {name: things for name, things in recording.calls}["flag"][0]


PLUGINS = {}


def plugin(name):
    def keep(maker):
        PLUGINS[name] = maker
        return maker

    return keep


@plugin("first")
class FirstPlugin:
    def __init__(self, first, second):
        self.answer = first


@plugin("second")
class SecondPlugin:
    def __init__(self, first, second):
        self.answer = second


def plugin_by_name(given, other):
    return PLUGINS["first"](given, other).answer


def plugin_by_settings(given, other):
    settings = {"type": "second", "first": other, "second": given}
    kind = settings.pop("type")
    return PLUGINS[kind](**settings).answer


class Meta(type):
    known = {}

    def __new__(cls, name, bases, body):
        made = super().__new__(cls, name, bases, body)
        if body.get("key"):
            Meta.known[body["key"]] = made
        return made


class Handler(metaclass=Meta):
    key = None

    def pick(self, first, second):
        raise NotImplementedError


class PicksFirst(Handler):
    key = "first"

    def pick(self, first, second):
        return first


class PicksSecond(Handler):
    key = "second"

    def pick(self, first, second):
        return second


def registered_by_a_metaclass(given, other):
    return Meta.known["second"]().pick(other, given)


class Node:
    def __init__(self, name, value=None, children=()):
        self.name = name
        self.value = value
        self.children = list(children)

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def find(self, name):
        if self.name == name:
            return self
        for child in self.children:
            found = child.find(name)
            if found is not None:
                return found
        return None


def found_in_a_composite(given, other):
    tree = Node("root", other, [Node("left", other), Node("right", None, [Node("leaf", given)])])
    return tree.find("leaf").value


def walked_in_a_composite(given, other):
    tree = Node("root", other, [Node("left", other, [Node("leaf", given)]), Node("right", other)])
    return next(node.value for node in tree.walk() if node.name == "leaf")


class Visitor:
    def visit(self, node):
        method = getattr(self, f"visit_{node.name}", self.generic_visit)
        return method(node)

    def generic_visit(self, node):
        for child in node.children:
            self.visit(child)


class Collects(Visitor):
    def __init__(self):
        self.leaf = None
        self.rest = []

    def visit_leaf(self, node):
        self.leaf = node.value

    def visit_other(self, node):
        self.rest.append(node.value)


def visited(given, other):
    visitor = Collects()
    visitor.visit(Node("root", None, [Node("other", other), Node("leaf", given)]))
    return visitor.leaf


class Expression(abc.ABC):
    @abc.abstractmethod
    def evaluate(self, names): ...


class Name(Expression):
    def __init__(self, name):
        self.name = name

    def evaluate(self, names):
        return names[self.name]


class Both(Expression):
    def __init__(self, left, right):
        self.left, self.right = left, right

    def evaluate(self, names):
        return self.left.evaluate(names) and self.right.evaluate(names)


class Not(Expression):
    def __init__(self, inner):
        self.inner = inner

    def evaluate(self, names):
        return not self.inner.evaluate(names)


def interpreted(given, other):
    rule = Not(Not(Name("flag")))
    Both(Name("rest"), Name("rest")).evaluate({"rest": other})
    return rule.evaluate({"flag": given, "rest": other})


class Builder:
    def __init__(self):
        self._parts = {}

    def with_flag(self, flag):
        self._parts["flag"] = flag
        return self

    def with_rest(self, rest):
        self._parts["rest"] = rest
        return self

    def build(self):
        return Service(**self._parts)


def built_step_by_step(given, other):
    return Builder().with_rest(other).with_flag(given).build().flag


class Command:
    def __init__(self, store, name, value):
        self.store, self.name, self.value = store, name, value

    def do(self):
        self.before = self.store.get(self.name)
        self.store[self.name] = self.value

    def undo(self):
        self.store[self.name] = self.before


class History:
    def __init__(self):
        self.done = []

    def do(self, command):
        command.do()
        self.done.append(command)

    def undo(self):
        self.done.pop().undo()


def undone_command(given, other):
    store, history = {}, History()
    history.do(Command(store, "flag", given))
    history.do(Command(store, "flag", other))
    history.undo()
    return store["flag"]


class Mediator:
    def __init__(self):
        self.parts = {}

    def add(self, part):
        self.parts[part.name] = part
        part.mediator = self

    def send(self, name, message):
        self.parts[name].receive(message)


class Part:
    def __init__(self, name):
        self.name = name
        self.mediator = None
        self.inbox = []

    def tell(self, name, message):
        self.mediator.send(name, message)

    def receive(self, message):
        self.inbox.append(message)


def told_through_a_mediator(given, other):
    mediator, left, right = Mediator(), Part("left"), Part("right")
    mediator.add(left)
    mediator.add(right)
    left.tell("right", given)
    right.tell("left", other)
    return right.inbox[-1]


class Link:
    def __init__(self, successor=None):
        self.successor = successor

    def handle(self, request):
        answer = self.process(request)
        if answer is None and self.successor is not None:
            return self.successor.handle(request)
        return answer

    def process(self, request):
        return None


class Answers(Link):
    def __init__(self, name, answer, successor=None):
        super().__init__(successor)
        self.name = name
        self.answer = answer

    def process(self, request):
        if request == self.name:
            return (self.answer,)
        return None


def chain_of_responsibility(given, other):
    chain = Link(Answers("rest", other, Answers("flag", given)))
    return chain.handle("flag")[0]


def middleware(given, other):
    def logged(following):
        def call(request):
            request["log"] = other
            return following(request)

        return call

    def renamed(following):
        def call(request):
            request["flag"] = request.pop("given")
            return following(request)

        return call

    call = operator.itemgetter("flag")
    for layer in (renamed, logged):
        call = layer(call)
    return call({"given": given})


class Pipeline:
    def __init__(self, *steps):
        self.steps = steps

    def __or__(self, step):
        return Pipeline(*self.steps, step)

    def __call__(self, thing):
        for step in self.steps:
            thing = step(thing)
        return thing


def piped(given, other):
    pipeline = Pipeline() | (lambda flag: {"flag": flag, "rest": other}) | operator.itemgetter("flag") | bool
    return pipeline(given)


class Strategy(Protocol):
    def choose(self, first, second): ...


class First:
    def choose(self, first, second):
        return first


class Second:
    def choose(self, first, second):
        return second


class Context:
    strategy: Strategy = First()

    def __init__(self, strategy=None):
        if strategy is not None:
            self.strategy = strategy

    def run(self, first, second):
        return self.strategy.choose(first, second)


def strategy_of_the_class(given, other):
    return Context().run(given, other)


def strategy_handed_over(given, other):
    return Context(Second()).run(other, given)


class Machine:
    def __init__(self):
        self.state = "idle"
        self.seen = {}

    table = {("idle", "start"): "running", ("running", "stop"): "idle"}

    def send(self, event, value):
        self.state = self.table[self.state, event]
        self.seen[self.state] = value


def state_of_a_table(given, other):
    machine = Machine()
    machine.send("start", given)
    machine.send("stop", other)
    return machine.seen["running"]


class Idle:
    def next(self, context):
        context.answer = context.given
        context.state = Done()


class Done:
    def next(self, context):
        context.rest = context.other
        context.state = None


class Run:
    def __init__(self, given, other):
        self.given, self.other = given, other
        self.state = Idle()

    def go(self):
        while self.state is not None:
            self.state.next(self)
        return self


def state_objects(given, other):
    return Run(given, other).go().answer


class Message:
    def __init__(self, kind, body):
        self.kind, self.body = kind, body


class Actor:
    def __init__(self):
        self.mailbox = collections.deque()
        self.kept = {}

    def tell(self, message):
        self.mailbox.append(message)

    def run(self):
        while self.mailbox:
            message = self.mailbox.popleft()
            getattr(self, "handle_" + message.kind)(message.body)

    def handle_flag(self, body):
        self.kept["flag"] = body

    def handle_rest(self, body):
        self.kept["rest"] = body
        self.tell(Message("flag", body["flag"]))


def actor_with_a_mailbox(given, other):
    actor = Actor()
    actor.tell(Message("flag", other))
    actor.tell(Message("rest", {"flag": given}))
    actor.run()
    return actor.kept["flag"]


def taken_by_priority(given, other):
    jobs = []
    heapq.heappush(jobs, (2, "late", given))
    heapq.heappush(jobs, (1, "early", other))
    heapq.heappop(jobs)
    return heapq.heappop(jobs)[2]


class Layered(Mapping):
    def __init__(self, *layers):
        self.layers = layers

    def __getitem__(self, name):
        for layer in self.layers:
            if name in layer:
                return layer[name]
        raise KeyError(name)

    def __iter__(self):
        return iter(set().union(*self.layers))

    def __len__(self):
        return len(set().union(*self.layers))


def layered_settings(given, other):
    return Layered({"rest": other}, {"flag": given}, {"flag": other})["flag"]


def layered_settings_by_get(given, other):
    return Layered({"rest": other}, {"flag": given}).get("flag", other)


class Lower(MutableMapping):
    def __init__(self, *pairs, **named):
        self._items = {}
        self.update(*pairs, **named)

    def __getitem__(self, name):
        return self._items[name.lower()]

    def __setitem__(self, name, value):
        self._items[name.lower()] = value

    def __delitem__(self, name):
        del self._items[name.lower()]

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)


def own_mapping(given, other):
    settings = Lower(FLAG=given, rest=other)
    return settings["Flag"]


class Window(Sequence):
    def __init__(self, items, begin, end):
        self.items, self.begin, self.end = items, begin, end

    def __len__(self):
        return self.end - self.begin

    def __getitem__(self, number):
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self.items[self.begin + number]


def own_sequence(given, other):
    return Window([other, other, given, other], 2, 3)[0]


def own_sequence_walked_over(given, other):
    return [item for item in Window([other, given, other], 1, 2)][0]


class Linked:
    def __init__(self):
        self.head = None

    def push(self, value):
        self.head = (value, self.head)

    def __iter__(self):
        node = self.head
        while node is not None:
            value, node = node
            yield value


def linked_list(given, other):
    linked = Linked()
    for value in (other, given, other):
        linked.push(value)
    return list(linked)[1]


class Cell:
    def __init__(self, value):
        self.value = value
        self.next = None


def linked_cells(given, other):
    first, second, third = Cell(other), Cell(given), Cell(other)
    first.next, second.next = second, third
    return first.next.value


class Observable:
    def __init__(self, value):
        self._value = value
        self._observers = []

    def observe(self, observer):
        self._observers.append(observer)
        observer(self._value)

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, value):
        self._value = value
        for observer in self._observers:
            observer(value)


def observed(given, other):
    seen = []
    observable = Observable(other)
    observable.observe(seen.append)
    observable.value = given
    return seen[-1]


def observed_by_a_method(given, other):
    service = Service(other, None)
    observable, rest = Observable(other), Observable(other)
    observable.observe(lambda value: setattr(service, "flag", value))
    rest.observe(lambda value: setattr(service, "rest", value))
    observable.value = given
    return service.flag


class Config:
    defaults = {"flag": False, "rest": False}

    def __init__(self, **overrides):
        for name, default in self.defaults.items():
            setattr(self, name, overrides.get(name, default))


def settings_with_defaults(given, other):
    return Config(flag=given, rest=other).flag


class UpdatingConfig:
    def __init__(self, **values):
        self.__dict__.update(values)

    def merged(self, **values):
        return type(self)(**{**self.__dict__, **values})


def settings_merged(given, other):
    return UpdatingConfig(flag=other, rest=other).merged(flag=given).flag


@dataclass
class Section:
    flag: Any = None
    rest: Any = None

    @classmethod
    def from_dict(cls, values):
        names = {one.name for one in dataclasses.fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in names})


@dataclass
class Whole:
    section: Section = field(default_factory=Section)
    more: dict = field(default_factory=dict)

    @classmethod
    def from_dict(cls, values):
        values = dict(values)
        section = Section.from_dict(values.pop("section", {}))
        return cls(section=section, more=values)


def settings_from_nested_dictionaries(given, other):
    return Whole.from_dict({"section": {"flag": given, "rest": other, "unknown": other}, "x": other}).section.flag


def settings_by_a_dotted_name(given, other):
    settings = {"model": {"flag": given}, "data": {"flag": other}}
    value = settings
    for part in "model.flag".split("."):
        value = value[part]
    return value


def set_by_a_dotted_name(given, other):
    settings = {"model": {}, "data": {"flag": other}}
    *path, last = "model.flag".split(".")
    inner = settings
    for part in path:
        inner = inner.setdefault(part, {})
    inner[last] = given
    return settings["model"]["flag"]


def attributes_by_a_dotted_name(given, other):
    settings = types.SimpleNamespace(model=types.SimpleNamespace(flag=given), data=types.SimpleNamespace(flag=other))
    return functools.reduce(getattr, "model.flag".split("."), settings)


def attributes_by_attrgetter(given, other):
    settings = types.SimpleNamespace(model=types.SimpleNamespace(flag=given), data=types.SimpleNamespace(flag=other))
    return operator.attrgetter("model.flag")(settings)


class Memento:
    def __init__(self, state):
        self.state = state


class Originator:
    def __init__(self, flag, rest):
        self.flag, self.rest = flag, rest

    def save(self):
        return Memento(dict(vars(self)))

    def restore(self, memento):
        vars(self).update(memento.state)


def restored_from_a_memento(given, other):
    originator = Originator(given, other)
    memento = originator.save()
    originator.flag = originator.rest = other
    originator.restore(memento)
    return originator.flag


class Stateful:
    def __init__(self, flag=None):
        self.flag = flag

    def state_dict(self):
        return {"flag": self.flag}

    def load_state_dict(self, state):
        self.flag = state["flag"]


def loaded_by_name(given, other):
    parts = {"left": Stateful(given), "right": Stateful(other)}
    saved = {name: part.state_dict() for name, part in parts.items()}
    fresh = {"left": Stateful(), "right": Stateful()}
    for name, part in fresh.items():
        part.load_state_dict(saved[name])
    return fresh["left"].flag


class Prototype:
    def __init__(self, flag, rest):
        self.flag, self.rest = flag, rest

    def clone(self, **changes):
        made = copy.copy(self)
        for name, value in changes.items():
            setattr(made, name, value)
        return made


def cloned_prototype(given, other):
    return Prototype(other, other).clone(flag=given).flag


class Borg:
    _shared = {}

    def __init__(self):
        self.__dict__ = self._shared


def borg(given, other):
    Borg().flag = given
    Borg().rest = other
    return Borg().flag


class Flyweights:
    _made = {}

    def __new__(cls, name):
        if name not in cls._made:
            cls._made[name] = super().__new__(cls)
        return cls._made[name]


def flyweights(given, other):
    Flyweights("a").flag = given
    Flyweights("b").flag = other
    return Flyweights("a").flag


@functools.lru_cache(maxsize=None)
def service(name):
    return Service(None, None)


def one_service_for_all(given, other):
    service("a").flag = given
    service("b").flag = other
    return service("a").flag


class Hooks:
    def __init__(self):
        self._hooks = []

    def register(self, hook, priority=0):
        self._hooks.append((priority, hook))
        self._hooks.sort(key=lambda pair: pair[0])

    def call(self, state):
        for _, hook in self._hooks:
            state = hook(state)
        return state


def hooks_by_priority(given, other):
    hooks = Hooks()
    hooks.register(lambda state: given, priority=10)
    hooks.register(lambda state: other, priority=1)
    return hooks.call(None)


class Callback:
    def on_begin(self, trainer):
        pass

    def on_end(self, trainer):
        pass


class SetsFlag(Callback):
    def __init__(self, value):
        self.value = value

    def on_begin(self, trainer):
        trainer.state["flag"] = self.value


class SetsRest(Callback):
    def __init__(self, value):
        self.value = value

    def on_end(self, trainer):
        trainer.state["rest"] = self.value


class Trainer:
    def __init__(self, callbacks):
        self.callbacks = callbacks
        self.state = {}

    def fire(self, event):
        for callback in self.callbacks:
            getattr(callback, event)(self)

    def fit(self):
        self.fire("on_begin")
        self.fire("on_end")
        return self.state


def callbacks_by_name(given, other):
    return Trainer([SetsRest(other), SetsFlag(given)]).fit()["flag"]


class CallbackList(Callback):
    def __init__(self, *callbacks):
        self.callbacks = callbacks

    def on_begin(self, trainer):
        for callback in self.callbacks:
            callback.on_begin(trainer)

    def on_end(self, trainer):
        for callback in self.callbacks:
            callback.on_end(trainer)


def callbacks_in_a_callback(given, other):
    return Trainer([CallbackList(SetsRest(other), SetsFlag(given))]).fit()["flag"]


class Logged:
    def __init__(self, flag, rest):
        super().__init__(flag, rest)
        self.logged = rest

    def read(self):
        return super().read()


class Reading:
    def __init__(self, flag, rest):
        self.flag = flag

    def read(self):
        return self.flag


class Diamond(Logged, Reading):
    pass


def cooperative_super(given, other):
    return Diamond(given, other).read()


class Template:
    def run(self, first, second):
        self.prepare(first)
        return self.answer(second)

    def prepare(self, first):
        self.kept = None

    @abc.abstractmethod
    def answer(self, second): ...


class KeepsIt(Template):
    def prepare(self, first):
        super().prepare(first)
        self.kept = first

    def answer(self, second):
        return self.kept


def template_with_super(given, other):
    return KeepsIt().run(given, other)


class Step:
    _previous = None

    def __init__(self, function):
        self.function = function

    def __rshift__(self, following):
        following._previous = self
        return following

    def run(self, thing):
        if self._previous is not None:
            thing = self._previous.run(thing)
        return self.function(thing)


def steps_by_shift(given, other):
    last = Step(lambda thing: [thing, other]) >> Step(lambda pair: pair[0])
    return last.run(given)


class Lens:
    def __init__(self, get, put):
        self.get, self.put = get, put

    def then(self, inner):
        return Lens(
            lambda whole: inner.get(self.get(whole)),
            lambda whole, part: self.put(whole, inner.put(self.get(whole), part)),
        )


def key_lens(key):
    return Lens(lambda whole: whole[key], lambda whole, part: {**whole, key: part})


def lens(given, other):
    both = key_lens("model").then(key_lens("flag"))
    whole = both.put({"model": {"flag": other, "rest": other}}, given)
    return both.get(whole)


class State(collections.namedtuple("State", "flag rest")):
    __slots__ = ()

    def with_flag(self, flag):
        return self._replace(flag=flag)


def state_replaced(given, other):
    return State(other, other).with_flag(given).flag


def reducer(state, action):
    match action:
        case {"type": "flag", "value": value}:
            return {**state, "flag": value}
        case {"type": "rest", "value": value}:
            return {**state, "rest": value}
        case _:
            return state


class Store:
    def __init__(self, reduce, state):
        self.reduce, self.state = reduce, state

    def dispatch(self, **action):
        self.state = self.reduce(self.state, action)


def reduced_in_a_store(given, other):
    store = Store(reducer, {"flag": None, "rest": None})
    store.dispatch(type="flag", value=given)
    store.dispatch(type="rest", value=other)
    store.dispatch(type="none", value=other)
    return store.state["flag"]


def matched_event(given, other):
    match Started(given):
        case Stopped(flag=flag):
            return other
        case Started(flag=flag):
            return flag


def folded_actions(given, other):
    actions = [{"type": "flag", "value": given}, {"type": "rest", "value": other}]
    return functools.reduce(reducer, actions, {})["flag"]


class Stage(enum.Enum):
    first = functools.partial(lambda first, second: first)
    second = functools.partial(lambda first, second: second)

    def __call__(self, first, second):
        return self.value(first, second)


def enumeration_of_functions(given, other):
    return Stage.second(other, given)


class Kind(str, enum.Enum):
    flag = "flag"
    rest = "rest"


def dictionary_by_enumeration(given, other):
    return {Kind.flag: given, Kind.rest: other}[Kind.flag]


def dictionary_by_text_of_an_enumeration(given, other):
    return {Kind.flag: given, Kind.rest: other}["flag"]


class Resource:
    def __init__(self, store, name, value):
        self.store, self.name, self.value = store, name, value

    def __enter__(self):
        self.before = self.store.get(self.name)
        self.store[self.name] = self.value
        return self

    def __exit__(self, *reasons):
        self.store[self.name] = self.before


def overridden_for_a_while(given, other):
    store = {"flag": given}
    with Resource(store, "flag", other):
        pass
    return store["flag"]


def overridden_within(given, other):
    store = {"flag": other}
    with Resource(store, "flag", given):
        return store["flag"]


STACK = []


@contextlib.contextmanager
def using(value):
    STACK.append(value)
    try:
        yield value
    finally:
        STACK.pop()


def current():
    return STACK[-1]


def current_of_a_stack(given, other):
    with using(given):
        with using(other):
            pass
        return current()


class Weak:
    def __init__(self, flag, rest):
        self.flag, self.rest = flag, rest


def weak_reference(given, other):
    thing = Weak(given, other)
    reference = weakref.ref(thing)
    return reference().flag


class Ports:
    def __init__(self):
        self._sources = {}

    def connect(self, name, source):
        self._sources[name] = source

    def pull(self, name):
        return self._sources[name]()


def pulled_through_ports(given, other):
    ports = Ports()
    ports.connect("flag", lambda: given)
    ports.connect("rest", lambda: other)
    return ports.pull("flag")


class Graph:
    def __init__(self):
        self.nodes = {}

    def add(self, name, function, *needed):
        self.nodes[name] = (function, needed)

    def run(self, name, made=None):
        made = {} if made is None else made
        if name not in made:
            function, needed = self.nodes[name]
            made[name] = function(*(self.run(one, made) for one in needed))
        return made[name]


def graph_of_tasks(given, other):
    graph = Graph()
    graph.add("given", lambda: given)
    graph.add("other", lambda: other)
    graph.add("pair", lambda first, second: (first, second), "given", "other")
    graph.add("flag", lambda pair: pair[0], "pair")
    return graph.run("flag")


class Field:
    def __init__(self, cast=lambda value: value, default=None):
        self.cast, self.default = cast, default


class Model:
    def __init_subclass__(cls):
        cls._fields = {name: one for name, one in vars(cls).items() if isinstance(one, Field)}

    def __init__(self, **values):
        for name, one in self._fields.items():
            setattr(self, name, one.cast(values.get(name, one.default)))


class Record(Model):
    flag = Field()
    rest = Field(cast=bool, default=False)


def declared_fields(given, other):
    return Record(flag=given, rest=other).flag


def by_signature(given, other):
    def wanted(flag):
        return flag

    have = {"flag": given, "rest": other}
    names = inspect.signature(wanted).parameters
    return wanted(**{name: have[name] for name in names})


class Injected:
    provided = {}

    @classmethod
    def provide(cls, name, value):
        cls.provided[name] = value

    @classmethod
    def inject(cls, function):
        @functools.wraps(function)
        def call(*things, **named):
            return function(*things, **{**cls.provided, **named})

        return call


@Injected.inject
def wants(flag=None, rest=None):
    return flag


def injected(given, other):
    Injected.provide("flag", given)
    Injected.provide("rest", other)
    return wants()


class Versioned:
    def __init__(self):
        self.versions = []

    def commit(self, **values):
        latest = self.versions[-1] if self.versions else {}
        self.versions.append({**latest, **values})

    def __getitem__(self, number):
        return self.versions[number]


def versions(given, other):
    versioned = Versioned()
    versioned.commit(flag=given)
    versioned.commit(rest=other)
    versioned.commit(rest=given)
    return versioned[1]["flag"]


class Batch:
    def __init__(self, **columns):
        self.columns = columns

    def __getattr__(self, name):
        try:
            return self.__dict__["columns"][name]
        except KeyError:
            raise AttributeError(name) from None

    def map(self, function):
        return Batch(**{name: function(value) for name, value in self.columns.items()})


def columns_mapped(given, other):
    return Batch(flag=given, rest=other).map(lambda value: value).flag


class Fluent:
    def __init__(self, items):
        self.items = items

    def filter(self, question):
        return Fluent([item for item in self.items if question(item)])

    def map(self, function):
        return Fluent([function(item) for item in self.items])

    def first(self):
        return self.items[0]


def fluent_query(given, other):
    items = Fluent([("rest", other), ("flag", given), ("last", other)])
    return items.filter(lambda pair: pair[0] == "flag").map(lambda pair: pair[1]).first()


class Signal:
    def __init__(self):
        self._slots = []

    def connect(self, slot):
        self._slots.append(slot)
        return slot

    def send(self, **named):
        return [(slot, slot(**named)) for slot in self._slots]


def signal_answers(given, other):
    changed = Signal()

    @changed.connect
    def first(flag, **rest):
        return flag

    @changed.connect
    def second(rest, **others):
        return rest

    return changed.send(flag=given, rest=other)[0][1]


class Adapter:
    def __init__(self, inner, **names):
        self._inner = inner
        self.__dict__.update({new: getattr(inner, old) for new, old in names.items()})


def adapted(given, other):
    return Adapter(Service(given, other), wanted="flag", unwanted="rest").wanted


class Facade:
    def __init__(self, given, other):
        self._left = Service(given, other)
        self._right = Service(other, given)

    def left(self):
        return self._left.flag

    def right(self):
        return self._right.flag


def facade(given, other):
    whole = Facade(given, other)
    whole.right()
    return whole.left()


class Bridge:
    def __init__(self, implementation):
        self.implementation = implementation

    def get(self):
        return self.implementation.fetch()


class Fetches:
    def __init__(self, value):
        self.fetch = lambda: value


def bridged(given, other):
    bridges = [Bridge(Fetches(value)) for value in (other, given)]
    return bridges[1].get()


class Specification:
    def __init__(self, question):
        self.question = question

    def __and__(self, other):
        return Specification(lambda thing: self.question(thing) and other.question(thing))

    def __invert__(self):
        return Specification(lambda thing: not self.question(thing))

    def __call__(self, thing):
        return self.question(thing)


def specification(given, other):
    wanted = Specification(lambda thing: thing["flag"]) & ~Specification(lambda thing: False)
    Specification(lambda thing: thing["rest"])({"rest": other})
    return wanted({"flag": given, "rest": other})


def through_json(given, other):
    text = json.dumps({"flag": given, "rest": other})
    return json.loads(text)["flag"]


class Arguments:
    def __init__(self):
        self._defaults = {}

    def add(self, name, default=None):
        self._defaults[name] = default

    def parse(self, words):
        found = types.SimpleNamespace(**self._defaults)
        pairs = iter(words)
        for name in pairs:
            setattr(found, name.lstrip("-"), next(pairs))
        return found


def own_argument_parser(given, other):
    parser = Arguments()
    parser.add("flag")
    parser.add("rest")
    return parser.parse(["--rest", other, "--flag", given]).flag


class Progress:
    def __init__(self, items):
        self.items = items
        self.seen = 0

    def __iter__(self):
        for item in self.items:
            self.seen += 1
            yield item

    def __len__(self):
        return len(self.items)


def wrapped_iterable(given, other):
    answer = None
    for number, item in enumerate(Progress([other, given])):
        if number == 1:
            answer = item
    return answer


def groups_by_name(given, other):
    rows = [("a", other), ("b", given)]
    table = collections.defaultdict(list)
    for name, value in rows:
        table[name].append(value)
    return table["b"][0]


def counted_names(given, other):
    names = itertools.count()
    store = {f"item{next(names)}": value for value in (other, given)}
    return store["item1"]
