"""What would every rank do? The program is run on imaginary ranks at once, and what each does is logged.

lanes, values, logs     what the ranks hold, and what they did
core                    one run under way: what has been written, undone and joined
contents/               what is inside a container, a number, a text, None
names/                  what names, attributes and items stand for, and what an expression is worth
control/                who goes where: branches, loops, exceptions, `with`
functions/              what happens at a call, and whether it is followed at all
starts/                 where a program begins, and what its functions find there
library/                what calls into libraries do, where a row of knowledge is not enough
run, units              what of a project is run, in which order, and what of it anew
"""
