def swapped(given, other):
    first, second = other, given
    first, second = second, first
    return first


def starred(given, other):
    *_, last = other, other, given
    return last


def starred_in_the_middle(given, other):
    first, *middle, last = other, given, other
    return middle[0]


def nested_targets(given, other):
    (first, (second, third)), fourth = (other, (given, other)), other
    return second


def chained(given, other):
    first = second = given
    first = other
    return second


def walrus(given, other):
    if (seen := given) or other:
        pass
    return seen


def augmented(given, other):
    answer = other
    answer = False
    answer |= given
    return answer


def annotated(given, other):
    answer: bool = given
    rest: bool = other
    return answer


def deleted_name(given, other):
    answer = other
    del answer
    answer = given
    return answer


def by_loop_variable(given, other):
    for answer in (other, given):
        pass
    return answer


def by_with_target(given, other):
    with Handing(given) as answer, Handing(other) as rest:
        pass
    return answer


class Handing:
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *exception):
        return False


def by_subscript_target(given, other):
    table = {}
    table["first"], table["second"] = given, other
    return table["first"]


def by_attribute_target(given, other):
    holder = Holder()
    for holder.seen in (other, given):
        pass
    return holder.seen


class Holder:
    seen = None


def if_expression(given, other):
    return given if True else other


def double_negation(given, other):
    return not (not given)


def conjunction(given, other):
    return given and (other or True)


def disjunction(given, other):
    return given or (other and False)


def compared(given, other):
    return given == True  # noqa: E712


def compared_chain(given, other):
    return True == given != False  # noqa: E712


def arithmetic(given, other):
    return (int(given) * 3 - 1) > 0


def bits(given, other):
    return (int(given) << 2 | 1) & 4


def text(given, other):
    return f"{given}-{other}".split("-")[0] == "True"


def text_formatted(given, other):
    return "{first}".format(first=given, second=other) == "True"


def text_joined(given, other):
    return " ".join([str(given), str(other)]).startswith("True")


def text_partition(given, other):
    return (str(given) + "=" + str(other)).partition("=")[0] == "True"


def minimum(given, other):
    return min(int(given), 1)


def exclusive(given, other):
    return bool(given) ^ bool(other) ^ bool(other)


def unary(given, other):
    return -int(given) < 0


def inverted(given, other):
    return ~int(given) == -2


def membership(given, other):
    return given in (True,)


def identity(given, other):
    return bool(given) is not False
