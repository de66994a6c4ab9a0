"""What does dtlint say about published packages, and is each thing it says true?"""
