import abc
import copy
import dataclasses
import enum
import functools
from dataclasses import asdict, astuple, dataclass, field, replace
from typing import NamedTuple, Optional


class Plain:
    def __init__(self, first, second=None):
        self.first = first
        self.second = second

    def ask(self):
        return self.first

    def put(self, thing):
        self.first = thing


def attribute(given, other):
    return Plain(given, other).first


def method(given, other):
    return Plain(given, other).ask()


def bound_method(given, other):
    ask = Plain(given, other).ask
    return ask()


def unbound_method(given, other):
    return Plain.ask(Plain(given, other))


def set_by_method(given, other):
    holder = Plain(other)
    holder.put(given)
    return holder.first


def set_through_another_name(given, other):
    holder = Plain(other)
    same = holder
    same.first = given
    return holder.first


def two_objects(given, other):
    left, right = Plain(given), Plain(other)
    return left.first


def set_by_name(given, other):
    holder = Plain(other)
    setattr(holder, "first", given)
    return getattr(holder, "first")


def default_of_getattr(given, other):
    return getattr(Plain(other), "third", given)


def by_dictionary_of_the_object(given, other):
    holder = Plain(other)
    holder.__dict__.update(first=given)
    return holder.first


def vars_of_the_object(given, other):
    return vars(Plain(given, other))["first"]


def copied(given, other):
    holder = Plain(given)
    kept = copy.copy(holder)
    holder.first = other
    return kept.first


def chained_calls(given, other):
    return Building().with_second(other).with_first(given).first


class Building:
    first = second = None

    def with_first(self, thing):
        self.first = thing
        return self

    def with_second(self, thing):
        self.second = thing
        return self


def nested_objects(given, other):
    return Plain(Plain(other, Plain(given))).first.second.first


class Base:
    def __init__(self, thing):
        self.thing = thing

    def ask(self):
        return self.answer()

    def answer(self):
        return False


class Derived(Base):
    def __init__(self, thing, rest):
        super().__init__(thing)
        self.rest = rest

    def answer(self):
        return self.thing


def inherited(given, other):
    return Derived(given, other).ask()


def overridden(given, other):
    return Overriding(given).ask()


class Overriding(Base):
    def ask(self):
        return super().ask() or self.thing


def mixed_in(given, other):
    return Mixed(given, other).told()


class Telling:
    def told(self):
        return self.thing


class Mixed(Telling, Derived):
    pass


def abstract(given, other):
    return Concrete(given).run()


class Abstract(abc.ABC):
    @abc.abstractmethod
    def answer(self): ...

    def run(self):
        return self.answer()


class Concrete(Abstract):
    def __init__(self, thing):
        self.thing = thing

    def answer(self):
        return self.thing


class Computed:
    def __init__(self, first, second):
        self._first = first
        self._second = second

    @property
    def first(self):
        return self._first

    @first.setter
    def first(self, thing):
        self._first = thing

    @functools.cached_property
    def kept(self):
        return self._first

    @classmethod
    def of(cls, first, second):
        return cls(first, second)

    @staticmethod
    def the_first(first, second):
        return first


def property_read(given, other):
    return Computed(given, other).first


def property_set(given, other):
    holder = Computed(other, other)
    holder.first = given
    return holder.first


def cached_property(given, other):
    return Computed(given, other).kept


def class_method(given, other):
    return Computed.of(given, other).first


def static_method(given, other):
    return Computed.the_first(given, other)


def static_method_of_an_object(given, other):
    return Computed(other, other).the_first(given, other)


class Shared:
    thing = None
    calls = []

    @classmethod
    def put(cls, thing):
        cls.thing = thing


def class_attribute(given, other):
    Shared.thing = given
    return Shared().thing


def class_attribute_by_method(given, other):
    Shared.put(given)
    return Shared.thing


def class_attribute_hidden(given, other):
    Shared.thing = other
    holder = Shared()
    holder.thing = given
    return holder.thing


def class_list(given, other):
    Shared.calls.clear()
    Shared.calls.append(given)
    return Shared().calls[0]


class Single:
    _instance = None

    def __new__(cls, *things):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def put(self, thing):
        self.thing = thing


def singleton(given, other):
    Single().put(given)
    return Single().thing


@dataclass
class Settings:
    first: bool
    second: bool = False
    rest: list = field(default_factory=list)


def data_class(given, other):
    return Settings(given, second=other).first


def data_class_default(given, other):
    return Settings(first=given).first


def data_class_replaced(given, other):
    return replace(Settings(other), first=given).first


def data_class_as_dictionary(given, other):
    return asdict(Settings(given, other))["first"]


def data_class_as_tuple(given, other):
    return astuple(Settings(other, given))[1]


def data_class_list(given, other):
    settings = Settings(other)
    settings.rest.append(given)
    return settings.rest[0]


@dataclass(frozen=True)
class Derived2:
    first: bool
    second: bool
    both: bool = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "both", self.first)


def after_init(given, other):
    return Derived2(given, other).both


def fields_of(given, other):
    settings = Settings(given, other)
    return [getattr(settings, one.name) for one in dataclasses.fields(settings)][0]


class Row(NamedTuple):
    first: bool
    second: Optional[bool] = None

    def ask(self):
        return self.first


def typed_tuple(given, other):
    return Row(given, other).ask()


class Role(enum.Enum):
    LEAD = "lead"
    OTHER = "other"

    @property
    def is_lead(self):
        return self is Role.LEAD


def enumeration(given, other):
    role = Role.LEAD if given else Role.OTHER
    return role is Role.LEAD


def enumeration_by_value(given, other):
    return Role("lead" if given else "other") == Role.LEAD


def enumeration_by_name(given, other):
    return Role["LEAD" if given else "OTHER"].is_lead


class Bits(enum.IntFlag):
    NONE = 0
    LEAD = 1
    SAVES = 2


def flags(given, other):
    bits = (Bits.LEAD if given else Bits.NONE) | Bits.SAVES
    return Bits.LEAD in bits


class Callable:
    def __init__(self, thing):
        self.thing = thing

    def __call__(self):
        return self.thing


def called_object(given, other):
    return Callable(given)()


class Truthful:
    def __init__(self, thing):
        self.thing = thing

    def __bool__(self):
        return bool(self.thing)


def truth_of_an_object(given, other):
    return True if Truthful(given) else False


class Long:
    def __init__(self, thing):
        self.thing = thing

    def __len__(self):
        return int(self.thing)


def length_of_an_object(given, other):
    return len(Long(given))


def truth_by_length(given, other):
    return True if Long(given) else False


class Table:
    def __init__(self, first, second):
        self.table = {"first": first, "second": second}

    def __getitem__(self, name):
        return self.table[name]

    def __setitem__(self, name, thing):
        self.table[name] = thing

    def __contains__(self, name):
        return bool(self.table.get(name))

    def __getattr__(self, name):
        return self.table[name]


def item_of_an_object(given, other):
    return Table(given, other)["first"]


def set_item_of_an_object(given, other):
    table = Table(other, other)
    table["first"] = given
    return table["first"]


def in_an_object(given, other):
    return "first" in Table(given, other)


def looked_for_attribute(given, other):
    return Table(given, other).first


class Wrapping:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


def wrapped_object(given, other):
    return Wrapping(Plain(given, other)).ask()


class AttributeDictionary(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


def attribute_dictionary(given, other):
    table = AttributeDictionary(first=given, second=other)
    return table.first


def attribute_dictionary_set(given, other):
    table = AttributeDictionary()
    table.second = other
    table.first = given
    return table["first"]


class Named:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner):
        return getattr(instance, self.name)

    def __set__(self, instance, thing):
        setattr(instance, self.name, thing)


class Described:
    first = Named()
    second = Named()


def descriptor(given, other):
    holder = Described()
    holder.first = given
    holder.second = other
    return holder.first


class Sum:
    def __init__(self, thing):
        self.thing = thing

    def __add__(self, another):
        return Sum(self.thing or another.thing)

    def __eq__(self, another):
        return self.thing == another

    def __lt__(self, another):
        return self.thing < another.thing

    def __hash__(self):
        return hash(self.thing)


def added_objects(given, other):
    return (Sum(False) + Sum(given)).thing


def equal_objects(given, other):
    return Sum(bool(given)) == True  # noqa: E712


def compared_objects(given, other):
    return Sum(0) < Sum(int(given))


class Slotted:
    __slots__ = ("first", "second")

    def __init__(self, first, second):
        self.first = first
        self.second = second


def slots(given, other):
    return Slotted(given, other).first


class Counting:
    made = 0

    def __init__(self, thing):
        Counting.made = int(thing)
        type(self).last = thing


def counted_by_the_class(given, other):
    Counting(given)
    return Counting.made


def kept_by_type(given, other):
    Counting(given)
    return Counting.last


class Registered:
    known = {}

    def __init_subclass__(cls, **named):
        super().__init_subclass__(**named)
        Registered.known[cls.__name__] = cls


class FirstOne(Registered):
    def __init__(self, thing):
        self.thing = thing


class SecondOne(Registered):
    def __init__(self, thing):
        self.thing = None


def registered_class(given, other):
    return Registered.known["FirstOne"](given).thing


class Inner:
    class Config:
        lead = False


def class_in_a_class(given, other):
    Inner.Config.lead = given
    return Inner.Config.lead


def made_class(given, other):
    made = type("Made", (), {"first": given, "second": other})
    return made.first


def local_class(given, other):
    class Local:
        first = given
        second = other

    return Local.first


class Generic(list):
    pass


def subclass_of_list(given, other):
    items = Generic()
    items.append(other)
    items.append(given)
    return items[1]


def method_put_on_an_object(given, other):
    holder = Plain(other)
    holder.ask = lambda: given
    return holder.ask()


def property_object(given, other):
    return Late(given).first


class Late:
    def __init__(self, thing):
        self.thing = thing

    def read(self):
        return self.thing

    first = property(read)


def partial_method(given, other):
    return Dialled(given).ask_first()


class Dialled:
    def __init__(self, thing):
        self.thing = thing

    def ask(self, which, sure):
        return self.thing if which == "first" else None

    ask_first = functools.partialmethod(ask, "first", True)
