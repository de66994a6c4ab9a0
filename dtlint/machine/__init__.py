"""What would every rank do? The program is run on imaginary ranks at once, and what each does is logged.

lanes, values, logs     what the ranks hold, and what they did
core, state, frames     one run under way
statements, expressions, calls, loops, attempts, …   what each construct of the language does to all ranks
library/                what calls into libraries do, where a row of knowledge is not enough
entries, run, units     where runs begin, and what of a project is run anew
"""
