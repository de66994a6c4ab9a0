"""Does dtlint find bugs that real projects had, and do they go away at the fix?"""
