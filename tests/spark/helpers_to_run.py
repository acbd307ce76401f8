"""A module beside a pipeline."""


def shout(word):
    return word.upper()
