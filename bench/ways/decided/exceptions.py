import contextlib
from contextlib import suppress


def raised(given, call):
    try:
        if not given:
            raise ValueError("not here")
        call()
    except ValueError:
        pass


def raised_and_called(given, call):
    try:
        if given:
            raise KeyError("here")
    except KeyError:
        call()


def else_of_try(given, call):
    try:
        if not given:
            raise ValueError("not here")
    except ValueError:
        pass
    else:
        call()


def asserted(given, call):
    try:
        assert given
        call()
    except AssertionError:
        pass


def suppressed(given, call):
    with suppress(ValueError):
        if not given:
            raise ValueError("not here")
        call()


def suppressed_lookup(given, call):
    steps = {"first": 1} if given else {}
    with contextlib.suppress(KeyError):
        steps["first"]
        call()


def missing_key(given, call):
    steps = {True: "go"}
    try:
        steps[bool(given)]
    except KeyError:
        return
    call()


def stopped(given, call):
    walker = iter(["step"] if given else [])
    try:
        next(walker)
    except StopIteration:
        return
    call()


def missing_attribute(given, call):
    holder = Holder()
    if given:
        holder.seen = True
    try:
        holder.seen
    except AttributeError:
        return
    call()


class Holder:
    pass


def own_exception(given, call):
    try:
        demand(given)
    except NotWanted:
        return
    call()


class NotWanted(RuntimeError):
    pass


def demand(thing):
    if not thing:
        raise NotWanted


def raised_deeper(given, call):
    try:
        outer(given)
        call()
    except NotWanted:
        pass


def outer(thing):
    inner(thing)


def inner(thing):
    if not thing:
        raise NotWanted("deep")


def other_class(given, call):
    try:
        raise (KeyError if given else ValueError)("one of two")
    except KeyError:
        call()
    except ValueError:
        pass


def raised_again(given, call):
    try:
        try:
            inner(given)
        except NotWanted:
            raise
        call()
    except RuntimeError:
        pass


def by_code(given, call):
    try:
        raise Coded(0 if given else 1)
    except Coded as error:
        if error.code == 0:
            call()


class Coded(Exception):
    def __init__(self, code):
        self.code = code


def finally_with_a_flag(given, call):
    ready = False
    try:
        ready = given
    finally:
        if ready:
            call()


def swallowed_by_own_manager(given, call):
    with Swallowing():
        inner(given)
        call()


class Swallowing:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is not None and issubclass(kind, NotWanted)


def divided(given, call):
    try:
        1 / int(given)
    except ZeroDivisionError:
        return
    call()
