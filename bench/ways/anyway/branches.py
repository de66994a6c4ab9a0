import contextlib
import functools
import itertools
from contextlib import contextmanager, suppress


def on_both_sides(given, call):
    if given:
        print("first")
        call()
    else:
        call()


def after_the_branch(given, call):
    if given:
        print("first")
    call()


def in_both_cases(given, call):
    match bool(given):
        case True:
            call()
        case _:
            print("other")
            call()


def left_after_the_call(given, call):
    call()
    if not given:
        return
    print("first")


def both_returns(given, call):
    if given:
        print("first")
        return call()
    return call()


def if_expression(given, call):
    call() if given else call()


def argument_differs(given, call):
    print("first" if given else "other")
    call()


def finally_always(given, call):
    try:
        if given:
            raise ValueError("first")
    except ValueError:
        print("caught")
    finally:
        call()


def raised_on_one_side(given, call):
    try:
        if given:
            raise ValueError("first")
        call()
    except ValueError:
        call()


def suppressed(given, call):
    with suppress(ValueError):
        if given:
            raise ValueError("first")
    call()


def loop_of_one(given, call):
    for _ in ("first",) if given else ("second",):
        call()


def loop_broken_after(given, call):
    for _ in range(1):
        call()
        if given:
            break


def loop_continued(given, call):
    for _ in range(1):
        if given:
            print("first")
            call()
            continue
        call()


def other_lengths(given, call):
    for _ in range(3 if given else 1):
        print("working")
    call()


def list_of_one(given, call):
    steps = []
    if given:
        steps.append(call)
    else:
        steps.append(call)
    for step in steps:
        step()


def list_of_other_things(given, call):
    names = ["first", "second"] if given else ["other"]
    print(names)
    call()


def chosen_function_of_two(given, call):
    (loud if given else quiet)(call)


def loud(function):
    print("loud")
    function()


def quiet(function):
    function()


def table_of_two(given, call):
    {True: loud, False: quiet}[bool(given)](call)


class Loud:
    def run(self, function):
        print("loud")
        self.then(function)

    def then(self, function):
        function()


class Quiet(Loud):
    def run(self, function):
        self.then(function)


def chosen_class_of_two(given, call):
    (Loud if given else Quiet)().run(call)


def flag_not_asked(given, call):
    job = Job(given)
    job.run(call)


class Job:
    def __init__(self, wanted):
        self.wanted = wanted

    def run(self, function):
        if self.wanted:
            print("first")
        function()

    @property
    def name(self):
        return "first" if self.wanted else "other"


def name_by_property(given, call):
    print(Job(given).name)
    call()


def context_on_one_side(given, call):
    with around("first") if given else contextlib.nullcontext():
        call()


@contextmanager
def around(name):
    print("enter", name)
    try:
        yield
    finally:
        print("leave", name)


def first_goes_first(given, call):
    with in_order(given, call):
        print("working")


@contextmanager
def in_order(first, function):
    if not first:
        function()
    yield
    if first:
        function()


def counted_by_all(given, call):
    left = 1
    while left > 0:
        left -= 1
        if given:
            print("first")
        call()


def by_generator(given, call):
    for step in steps_of(given):
        print(step)
        call()


def steps_of(first):
    if first:
        yield "first"
    else:
        yield "other"


def filtered_otherwise(given, call):
    names = [name for name in ("a", "b", "c") if given or name != "a"]
    print(names)
    call()


def decorator_passes_on(given, call):
    told(given, call)


def logged(function):
    @functools.wraps(function)
    def inner(first, *things):
        if first:
            print("calling")
        return function(first, *things)

    return inner


@logged
def told(first, function):
    function()


def swapped_back(given, call):
    wanted = given
    wanted = True
    if wanted:
        call()


def either_is_true(given, call):
    if given or not given:
        call()


def never_on_any(given, call):
    call()
    if given and not given:
        call()


def number_is_enough(given, call):
    if int(given) >= 0:
        call()


def text_is_long_enough(given, call):
    if str(given):
        call()


def of_the_same_length(given, call):
    for _ in range(len([given])):
        call()


def dictionary_has_it(given, call):
    if "wanted" in {"wanted": given}:
        call()


def is_something(given, call):
    if given is not None:
        call()


def of_a_kind(given, call):
    if isinstance(bool(given), bool):
        call()


def exception_of_all(given, call):
    try:
        raise ValueError("first" if given else "other")
    except ValueError:
        call()


def looked_at_by_repeat(given, call):
    for thing in itertools.repeat(given, 1):
        print(thing)
        call()


def partial_of_the_flag(given, call):
    step = functools.partial(told_then, given)
    step(call)


def told_then(first, function):
    print(first)
    function()


def recursion_of_one_depth(given, call):
    going(1, given, call)


def going(left, first, function):
    if left == 0:
        return
    if first:
        print("first", left)
    function()
    going(left - 1, first, function)


def early_answer_after(given, call):
    print(answer_then(given, call))


def answer_then(first, function):
    function()
    if first:
        return "first"
    return "other"


def hook_on_one_side(given, call):
    hooks = [call]
    if given:
        hooks.append(lambda: print("first"))
    for hook in hooks:
        hook()


def null_writer(given, call):
    writer = Loud() if given else None
    if writer is not None:
        print("writing")
    call()


def walrus_seen(given, call):
    if seen := given:
        print(seen)
    call()


def sorted_otherwise(given, call):
    for name in sorted(["b"], reverse=bool(given)):
        print(name)
        call()


def same_set(given, call):
    for _ in {"a"} | ({"a"} if given else set()):
        call()


def other_default(given, call):
    print({"a": 1}.get("b", given))
    call()
