def branch(given, call):
    if given:
        call()


def branch_turned(given, call):
    if not given:
        pass
    else:
        call()


def elif_branch(given, call):
    if given is None:
        pass
    elif given:
        call()


def nested(given, call):
    if given is not None:
        if given:
            call()


def left_early(given, call):
    if not given:
        return
    call()


def left_early_after_more(given, call):
    names = ["first"]
    for name in names:
        if name == "first" and not given:
            return
    call()


def if_expression(given, call):
    call() if given else None


def conjunction(given, call):
    given and call()


def disjunction(given, call):
    not given or call()


def matched(given, call):
    match bool(given):
        case True:
            call()
        case _:
            pass


def matched_with_guard(given, call):
    match given:
        case thing if thing:
            call()


def matched_sequence(given, call):
    match ["go"] if given else []:
        case []:
            pass
        case [first, *rest]:
            call()


def matched_mapping(given, call):
    match {"go": bool(given)}:
        case {"go": True}:
            call()


def looped(given, call):
    for _ in range(int(given)):
        call()


def looped_while(given, call):
    while given:
        call()
        break


def counted_down(given, call):
    left = int(given)
    while left:
        call()
        left -= 1


def looped_over_a_list(given, call):
    for _ in ["step"] if given else []:
        call()


def looped_over_what_is_left(given, call):
    for step in [step for step in ("first",) if given]:
        call()


def skipped_in_a_loop(given, call):
    for _ in ("step",):
        if not given:
            continue
        call()


def broken_off(given, call):
    for _ in ("step",):
        if not given:
            break
        call()


def else_of_a_loop(given, call):
    for _ in ("step",):
        if not given:
            break
    else:
        call()


def else_of_while(given, call):
    left = 1
    while left:
        if not given:
            break
        left -= 1
    else:
        call()


def in_a_comprehension(given, call):
    [call() for _ in range(1) if given]


def in_a_generator_expression(given, call):
    list(call() for _ in range(int(given)))


def any_of(given, call):
    any((not given, call()) if given else (True,))


def all_lazily(given, call):
    all(ask() for ask in (lambda: given, lambda: call() or True))


def in_a_dictionary_comprehension(given, call):
    {name: call() for name in ("first",) if given}


def deleted_or_not(given, call):
    steps = ["step"]
    if not given:
        del steps[0]
    for _ in steps:
        call()


def walrus(given, call):
    if seen := given:
        call()


def chained_comparison(given, call):
    if 0 < int(given) < 2:
        call()


def two_flags(given, call):
    wanted = False
    done = False
    if given:
        wanted = True
    if wanted and not done:
        call()


def at_a_step(given, call):
    for step in range(2):
        if step == 1 and given:
            call()


def chosen_steps(given, call):
    steps = {1} if given else set()
    for step in range(3):
        if step in steps:
            call()


def remainder(given, call):
    every = 2 if given else 7
    for step in range(1, 4):
        if step % every == 0:
            call()
