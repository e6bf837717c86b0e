"""Functions that the expressions of testcases lack: regular expressions with groups."""

import re


def groups(pattern, text):
    """Returns what the groups of a pattern match in a text, as a list; that there is no match is an error."""
    return list(re.search(pattern, text).groups())


def every(pattern, text):
    """Returns all matches of a pattern in a text, in order."""
    return re.findall(pattern, text)
