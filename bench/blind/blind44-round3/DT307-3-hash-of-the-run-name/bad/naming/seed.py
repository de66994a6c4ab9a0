def seed_of(name, base=0):
    """One seed for each experiment."""
    return (hash(name) + base) % 2**31
