"""Functions that the expressions of testcases lack: regular expressions with groups."""

import re


def groups(pattern, text):
    """Returns what the groups of a pattern match in a text, as a list; that there is no match is an error."""
    return list(re.search(pattern, text).groups())


def every(pattern, text):
    """Returns all matches of a pattern in a text, in order."""
    return re.findall(pattern, text)


def file_ending(names, end):
    """Returns the first of the names, separated by spaces, with this end, or the first without a dot if the end is empty."""
    return next(name for name in names.split() if (name.endswith(end) if end else "." not in name))


def around(x, y, step, rings):
    """Returns the points of a grid around a point, the nearest first."""
    points = [[x + step * i, y + step * j] for i in range(-rings, rings + 1) for j in range(-rings, rings + 1)]
    return sorted(points, key=lambda point: (point[0] - x) ** 2 + (point[1] - y) ** 2)

