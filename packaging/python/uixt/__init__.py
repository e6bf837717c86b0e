"""uixt: UI tests in YAML on phones and in browsers. The program is a binary; `uixt.find_binary()` tells where it is."""

import os
import sys
import sysconfig


def find_binary():
    """Returns the path of the program that was installed with this package."""
    package = os.path.dirname(os.path.abspath(__file__))
    schemes = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    # `pip install --target` and `--prefix` put programs beside the package, or some folders above it.
    near = [os.path.join(package, *[os.pardir] * up, "bin") for up in (1, 4)]
    for folder in [*schemes, *near]:
        path = os.path.normpath(os.path.join(folder, "uixt"))
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(f"uixt's program is in none of {', '.join(map(os.path.normpath, [*schemes, *near]))}: install the package anew")


def main():
    """Becomes the program, so that signals and exit codes are its own."""
    try:
        path = find_binary()
    except FileNotFoundError as error:
        sys.exit(f"uixt: {error}")
    os.execv(path, [path, *sys.argv[1:]])
