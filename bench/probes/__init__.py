"""Does dtlint judge a directory of acceptance programs right?"""
