"""Functions that testcases of this folder call."""


def check_digit(digits):
    """Return the check digit of an article number (EAN-13)."""
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return -total % 10
