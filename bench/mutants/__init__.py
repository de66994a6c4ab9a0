"""Would dtlint see it, had somebody made one of the usual mistakes in this line of real code?"""
