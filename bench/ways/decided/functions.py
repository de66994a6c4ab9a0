import contextlib
import functools
import itertools
from contextlib import ExitStack, contextmanager
from functools import partial, singledispatch, wraps


def handed_on(given, call):
    run_if(given, call)


def run_if(wanted, function):
    if wanted:
        function()


def chosen_function(given, call):
    (call if given else nothing)()


def nothing(*things):
    return None


def chosen_before(given, call):
    step = nothing
    if given:
        step = call
    step()


def none_or_function(given, call):
    step = call if given else None
    if step is not None:
        step()


def table_of_functions(given, call):
    {True: call, False: nothing}[bool(given)]()


def table_with_default(given, call):
    {"go": call}.get("go" if given else "stay", nothing)()


def list_of_functions(given, call):
    steps = []
    if given:
        steps.append(call)
    for step in steps:
        step()


def list_by_number(given, call):
    [nothing, call][int(given)]()


def by_lambda(given, call):
    step = lambda: call() if given else None  # noqa: E731
    step()


def by_closure(given, call):
    def step():
        if given:
            call()

    step()


def by_partial(given, call):
    partial(run_if, given)(call)


def by_default_argument(given, call):
    def step(wanted=given):
        if wanted:
            call()

    step()


def by_map(given, call):
    list(map(lambda wanted: wanted and call(), [given]))


def by_filter(given, call):
    for _ in filter(None, [given]):
        call()


def by_filter_with_function(given, call):
    for _ in filter(lambda thing: thing, [given]):
        call()


def by_sorted_key(given, call):
    sorted([1] if given else [], key=lambda thing: call() or 0)


def by_take_while(given, call):
    for _ in itertools.takewhile(lambda step: given, range(1)):
        call()


def by_drop_while(given, call):
    for _ in itertools.dropwhile(lambda step: not given, range(1)):
        call()


def by_repeat(given, call):
    for _ in itertools.repeat(None, int(given)):
        call()


def by_slice(given, call):
    for _ in itertools.islice(itertools.count(), int(given)):
        call()


def by_compress(given, call):
    for step in itertools.compress([call], [given]):
        step()


def by_generator(given, call):
    for _ in steps_if(given):
        call()


def steps_if(wanted):
    if wanted:
        yield 1


def by_generator_that_ends(given, call):
    for _ in steps_until(given):
        call()


def steps_until(wanted):
    if not wanted:
        return
    yield 1


def by_generator_that_calls(given, call):
    for _ in calling(given, call):
        pass


def calling(wanted, function):
    yield 1
    if wanted:
        function()


def by_generator_run_on(given, call):
    walker = calling(True, call)
    next(walker)
    if given:
        next(walker, None)


def by_yield_from(given, call):
    for _ in delegating(given):
        call()


def delegating(wanted):
    if wanted:
        yield from (1,)


def by_decorator(given, call):
    guarded(given, call)


def only_if_wanted(function):
    @wraps(function)
    def inner(wanted, *things):
        if wanted:
            return function(*things)
        return None

    return inner


@only_if_wanted
def guarded(function):
    function()


def by_decorator_made_here(given, call):
    def only(function):
        return function if given else nothing

    @only
    def step():
        call()

    step()


def by_decorator_with_arguments(given, call):
    @run_when(given)
    def step():
        call()

    step()


def run_when(wanted):
    def decorate(function):
        @functools.wraps(function)
        def inner(*things):
            if not wanted:
                return None
            return function(*things)

        return inner

    return decorate


def by_registered_hook(given, call):
    hooks = Hooks()
    if given:
        hooks.register("end", call)
    hooks.fire("end")


class Hooks:
    def __init__(self):
        self.table = {}

    def register(self, name, hook):
        self.table.setdefault(name, []).append(hook)

    def fire(self, name):
        for hook in self.table.get(name, []):
            hook()


def by_removed_hook(given, call):
    hooks = [call]
    if not given:
        hooks.remove(call)
    for hook in hooks:
        hook()


def by_exit_stack(given, call):
    with ExitStack() as stack:
        if given:
            stack.callback(call)


def by_popped_stack(given, call):
    stack = ExitStack()
    stack.callback(call)
    if given:
        stack.close()


def by_context_manager(given, call):
    with ending(given, call):
        pass


@contextmanager
def ending(wanted, function):
    yield
    if wanted:
        function()


def by_context_manager_before(given, call):
    with beginning(given, call):
        pass


@contextmanager
def beginning(wanted, function):
    if wanted:
        function()
    yield


def by_chosen_context(given, call):
    with ending(True, call) if given else contextlib.nullcontext():
        pass


def by_context_decorator(given, call):
    @ending(given, call)
    def step():
        pass

    step()


def by_own_manager(given, call):
    with Closing(given, call):
        pass


class Closing:
    def __init__(self, wanted, function):
        self.wanted = wanted
        self.function = function

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.wanted:
            self.function()

    def close(self):
        if self.wanted:
            self.function()


def by_closing(given, call):
    with contextlib.closing(Closing(given, call)):
        pass


def by_recursion(given, call):
    going(int(given), call)


def going(left, function):
    if left == 0:
        return
    function()
    going(left - 1, function)


def by_single_dispatch(given, call):
    dispatched("go" if given else 0, call)


@singledispatch
def dispatched(thing, function):
    return None


@dispatched.register
def _(thing: str, function):
    function()


def by_result(given, call):
    if asked(given):
        call()


def asked(thing):
    if thing:
        return True
    return False


def by_result_of_two(given, call):
    ready, _ = asked_twice(given)
    if ready:
        call()


def asked_twice(thing):
    return (True, "go") if thing else (False, "stay")


def by_implicit_none(given, call):
    if something(given) is not None:
        call()


def something(thing):
    if thing:
        return "thing"


def by_nonlocal(given, call):
    ready = False

    def mark():
        nonlocal ready
        ready = True

    if given:
        mark()
    if ready:
        call()


def by_callback_argument(given, call):
    with_callback(on_end=call if given else None)


def with_callback(on_end=None):
    if on_end:
        on_end()


def by_keywords(given, call):
    named = {"on_end": call} if given else {}
    with_callback(**named)


def by_stars(given, call):
    things = (call,) if given else ()
    call_each(*things)


def call_each(*functions):
    for function in functions:
        function()


def by_composition(given, call):
    step = after(nothing, call) if given else nothing
    step()


def after(first, second):
    def both():
        first()
        second()

    return both


def by_reduce(given, call):
    functools.reduce(lambda left, step: step() or left, [call] if given else [], None)
