import functools
import operator
from functools import lru_cache, partial, reduce, singledispatch, wraps


def by_position(given, other):
    return first_of(given, other)


def first_of(first, second):
    return first


def by_keyword(given, other):
    return first_of(second=other, first=given)


def by_default(given, other):
    def ask(thing=given, rest=other):
        return thing

    return ask()


def by_star(given, other):
    return second_of_many(other, given)


def second_of_many(*things):
    return things[1]


def by_star_call(given, other):
    return first_of(*(given, other))


def by_double_star(given, other):
    return named_first(first=given, second=other)


def named_first(**things):
    return things["first"]


def by_double_star_call(given, other):
    return first_of(**{"second": other, "first": given})


def keyword_only(given, other):
    return keyword_only_first(second=other, first=given)


def keyword_only_first(*, first, second=None):
    return first


def handed_on(given, other):
    return hands_on(given, second=other)


def hands_on(*things, **named):
    return first_of(*things, **named)


def several_results(given, other):
    _, answer = turned(given, other)
    return answer


def turned(first, second):
    return second, first


def by_lambda(given, other):
    ask = lambda thing, rest: thing  # noqa: E731
    return ask(given, other)


def by_closure(given, other):
    def ask():
        return given

    return ask()


def by_returned_closure(given, other):
    return keeper(given, other)()


def keeper(thing, rest):
    def ask():
        return thing

    return ask


def by_cell(given, other):
    answer = other

    def set_it():
        nonlocal answer
        answer = given

    set_it()
    return answer


def by_late_binding(given, other):
    answer = other

    def ask():
        return answer

    answer = given
    return ask()


kept = None


def by_global(given, other):
    keep(given)
    return kept


def keep(thing):
    global kept
    kept = thing


table = {}


def by_module_table(given, other):
    table["first"] = given
    table["second"] = other
    return read_table()


def read_table():
    return table["first"]


def by_partial(given, other):
    return partial(first_of, given)(other)


def by_partial_keyword(given, other):
    ask = partial(first_of, second=other)
    return ask(first=given)


def by_partial_of_partial(given, other):
    return partial(partial(first_of, given), other)()


def by_function_attribute(given, other):
    first_of_marked.seen = given
    return first_of_marked(other)


def first_of_marked(rest):
    return first_of_marked.seen


def by_list_of_functions(given, other):
    return [lambda: other, lambda: given][1]()


def by_dictionary_of_functions(given, other):
    return {"first": lambda: given, "second": lambda: other}["first"]()


def by_recursion(given, other):
    return going_down(2, given, other)


def going_down(count, thing, rest):
    if count == 0:
        return thing
    return going_down(count - 1, thing, rest)


def by_recursion_over_a_tree(given, other):
    return walked({"left": {"leaf": other}, "right": {"leaf": given}}, ("right", "leaf"))


def walked(tree, path):
    if not path:
        return tree
    return walked(tree[path[0]], path[1:])


def by_decorated(given, other):
    return traced(given, other)


def passing_on(function):
    @wraps(function)
    def inner(*things, **named):
        return function(*things, **named)

    return inner


@passing_on
def traced(first, second):
    return first


def by_decorator_with_arguments(given, other):
    return counted_twice(given, other)


def repeated(times):
    def decorate(function):
        def inner(*things):
            for _ in range(times):
                answer = function(*things)
            return answer

        return inner

    return decorate


@repeated(times=2)
def counted_twice(first, second):
    return first


def by_cached(given, other):
    return remembered(given, other)


@lru_cache(maxsize=None)
def remembered(first, second):
    return first


def by_reduce(given, other):
    return reduce(lambda left, right: right, [other, given])


def by_reduce_of_or(given, other):
    return functools.reduce(operator.or_, [False, bool(given)])


def by_single_dispatch(given, other):
    return dispatched(given)


@singledispatch
def dispatched(thing):
    return False


@dispatched.register
def _(thing: bool):
    return thing


@dispatched.register(int)
def of_numbers(thing):
    return thing != 0


def by_operator(given, other):
    return operator.and_(bool(given), True)


def by_item_getter(given, other):
    return operator.itemgetter("first")({"first": given, "second": other})


def by_item_getter_of_two(given, other):
    return operator.itemgetter(1, 0)((other, given))[0]


def by_attribute_getter(given, other):
    return operator.attrgetter("first")(Pair(given, other))


class Pair:
    def __init__(self, first, second):
        self.first = first
        self.second = second


def by_method_caller(given, other):
    return operator.methodcaller("get", "first")({"first": given, "second": other})


def by_truth(given, other):
    return operator.truth(given)


def by_not(given, other):
    return operator.not_(operator.not_(given))


def composed(given, other):
    return compose(bool, int, bool)(given)


def compose(*functions):
    def inner(thing):
        for function in functions:
            thing = function(thing)
        return thing

    return inner


def curried(given, other):
    return (lambda first: lambda second: first)(given)(other)


def by_callback(given, other):
    seen = []
    tell(given, other, seen.append)
    return seen[0]


def tell(first, second, callback):
    callback(first)
    callback(second)


def by_filled_argument(given, other):
    box = {}
    fill(box, given, other)
    return box["first"]


def fill(box, first, second):
    box["first"] = first
    box["second"] = second


def by_named_lookup(given, other):
    return globals()["first_of"](given, other)


def by_early_return(given, other):
    return told_early(given, other)


def told_early(thing, rest):
    if thing:
        return True
    if rest:
        return False
    return False


def by_exception(given, other):
    try:
        raise Told(given, other)
    except Told as told:
        answer = told.args[0]
    return answer


class Told(Exception):
    pass


def by_exception_attribute(given, other):
    try:
        raise Carrying(given)
    except Carrying as error:
        answer = error.thing
    return answer


class Carrying(Exception):
    def __init__(self, thing):
        super().__init__("told")
        self.thing = thing


def by_stop_iteration(given, other):
    walker = returning(given)
    try:
        while True:
            next(walker)
    except StopIteration as end:
        answer = end.value
    return answer


def returning(thing):
    yield 1
    return thing


def by_finally(given, other):
    answer = other
    try:
        answer = other
    finally:
        answer = given
    return answer


def by_else_of_try(given, other):
    try:
        answer = other
    except ValueError:
        answer = other
    else:
        answer = given
    return answer
