"""Where does a program begin, in which order are its functions run, and what do they find there?"""
