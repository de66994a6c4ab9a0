import collections
import copy
import itertools
from collections import ChainMap, OrderedDict, defaultdict, deque, namedtuple
from types import MappingProxyType, SimpleNamespace


def in_a_tuple(given, other):
    pair = (other, given)
    return pair[1]


def in_a_list(given, other):
    items = [other]
    items.append(given)
    return items[-1]


def list_replaced(given, other):
    items = [other, other]
    items[1] = given
    return items[1]


def list_slice_assigned(given, other):
    items = [other, other, other]
    items[1:] = [given, other]
    return items[1]


def list_extended(given, other):
    items = [other]
    items += [given]
    return items[1]


def list_inserted(given, other):
    items = [other]
    items.insert(0, given)
    return items[0]


def list_popped(given, other):
    items = [other, given]
    return items.pop()


def list_reversed(given, other):
    items = [given, other]
    items.reverse()
    return items[1]


def list_copied(given, other):
    items = [given, other]
    kept = items.copy()
    items[0] = other
    return kept[0]


def list_deep_copied(given, other):
    items = [[given], [other]]
    kept = copy.deepcopy(items)
    items[0][0] = other
    return kept[0][0]


def list_deleted_from(given, other):
    items = [other, given]
    del items[0]
    return items[0]


def list_of_lists(given, other):
    rows = [[other, other], [other, given]]
    return rows[1][1]


def transposed(given, other):
    rows = [(other, given), (other, given)]
    return list(zip(*rows))[1][0]


def in_a_dictionary(given, other):
    table = {"given": given, "other": other}
    return table["given"]


def dictionary_set(given, other):
    table = {}
    table["other"] = other
    table["given"] = given
    return table.get("given")


def dictionary_default(given, other):
    table = {"other": other}
    return table.get("given", given)


def dictionary_updated(given, other):
    table = {"first": other}
    table.update(first=given, second=other)
    return table["first"]


def dictionary_updated_by_another(given, other):
    table = {"first": other}
    table.update({"first": given})
    return table["first"]


def dictionary_merged(given, other):
    table = {"first": other} | {"first": given}
    return table["first"]


def dictionary_spread(given, other):
    table = {**{"first": other}, "first": given}
    return table["first"]


def dictionary_setdefault(given, other):
    table = {}
    table.setdefault("first", given)
    table.setdefault("first", other)
    return table["first"]


def dictionary_popped(given, other):
    table = {"first": given, "second": other}
    return table.pop("first")


def dictionary_by_tuple(given, other):
    table = {("a", 1): other, ("a", 2): given}
    return table["a", 2]


def dictionary_by_zip(given, other):
    table = dict(zip(("first", "second"), (given, other)))
    return table["first"]


def dictionary_by_keywords(given, other):
    table = dict(first=given, second=other)
    return table["first"]


def dictionary_comprehension(given, other):
    table = {name: thing for name, thing in [("first", given), ("second", other)]}
    return table["first"]


def dictionary_values(given, other):
    table = {"first": given, "second": other}
    first, second = table.values()
    return first


def dictionary_items(given, other):
    table = {"first": given, "second": other}
    for name, thing in table.items():
        if name == "first":
            answer = thing
    return answer


def dictionary_of_dictionaries(given, other):
    table = {"job": {"lead": given, "rest": other}}
    return table["job"]["lead"]


def dictionary_decides(given, other):
    return {True: 1, False: 0}[bool(given)]


def dictionary_inverted(given, other):
    table = {"yes": True, "no": False}
    back = {thing: name for name, thing in table.items()}
    return back[bool(given)] == "yes"


def in_a_set(given, other):
    seen = set()
    if given:
        seen.add("given")
    return "given" in seen


def set_difference(given, other):
    every = {0, 1}
    return 1 in every - {0 if given else 1}


def defaulted(given, other):
    table = defaultdict(list)
    table["first"].append(given)
    table["second"].append(other)
    return table["first"][0]


def counted(given, other):
    counts = collections.Counter()
    counts["first"] += int(given)
    counts["second"] += int(other)
    return counts["first"]


def ordered(given, other):
    table = OrderedDict()
    table["first"] = given
    table["second"] = other
    return next(iter(table.values()))


def in_a_deque(given, other):
    line = deque([other])
    line.appendleft(given)
    return line.popleft()


def rotated(given, other):
    line = deque([other, given])
    line.rotate(1)
    return line[0]


def chain_map(given, other):
    table = ChainMap({"first": given}, {"first": other})
    return table["first"]


Pair = namedtuple("Pair", "first second")


def named_tuple(given, other):
    pair = Pair(first=given, second=other)
    return pair.first


def named_tuple_replaced(given, other):
    pair = Pair(other, other)._replace(first=given)
    return pair.first


def named_tuple_unpacked(given, other):
    first, second = Pair(given, other)
    return first


def named_tuple_as_dictionary(given, other):
    return Pair(given, other)._asdict()["first"]


def namespace(given, other):
    holder = SimpleNamespace(first=given, second=other)
    holder.second = other
    return holder.first


def namespace_from_dictionary(given, other):
    holder = SimpleNamespace(**{"first": given, "second": other})
    return holder.first


def namespace_as_dictionary(given, other):
    holder = SimpleNamespace(first=given, second=other)
    return vars(holder)["first"]


def read_only(given, other):
    table = MappingProxyType({"first": given, "second": other})
    return table["first"]


def enumerated(given, other):
    for number, thing in enumerate([other, given]):
        if number == 1:
            answer = thing
    return answer


def zipped(given, other):
    for name, thing in zip(("first", "second"), (other, given)):
        if name == "second":
            answer = thing
    return answer


def chained_iterables(given, other):
    return list(itertools.chain([other], [given]))[1]


def sliced_iterator(given, other):
    return next(itertools.islice([other, given, other], 1, None))


def sorted_by_key(given, other):
    pairs = [(2, given), (1, other)]
    return sorted(pairs, key=lambda pair: pair[0])[1][1]


def greatest_by_key(given, other):
    return max([(2, given), (1, other)], key=lambda pair: pair[0])[1]


def filtered(given, other):
    pairs = [("first", given), ("second", other)]
    return [thing for name, thing in pairs if name == "first"][0]


def mapped(given, other):
    return list(map(bool, [other, given]))[1]


def mapped_of_two(given, other):
    return list(map(lambda name, thing: (name, thing), "ab", [other, given]))[1][1]


def any_of(given, other):
    return any([False, given])


def all_of(given, other):
    return all([True, given])


def summed(given, other):
    return sum([int(given), 0])


def counted_in_a_list(given, other):
    return [True].count(bool(given))


def found_in_a_list(given, other):
    return [False, True].index(bool(given))


def length(given, other):
    return len([1] if given else [])


def multiplied_list(given, other):
    return len([0] * int(given))


def list_of_results(given, other):
    answers = [given for _ in range(3)]
    return answers[2]
