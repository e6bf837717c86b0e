# Serves the functions of one Python file: a line of JSON per call on standard input, a line of JSON per answer.
#
# Standard output belongs to the answers alone. What the functions print goes to standard error, whichever way they print it,
# and they find no input, so that neither can disturb the calls.
import importlib.util
import json
import os
import re
import sys
import traceback

# Longest answer that is read.
LONGEST = 10 << 20

path = sys.argv[1]
calls = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(nothing, 0)
os.close(nothing)
os.dup2(2, 1)
sys.stdout = sys.stderr


def answer(fields):
    answers.write(json.dumps(fields, allow_nan=False) + "\n")
    answers.flush()


def failure(error):
    """Tells the error and the lines of the user's files that led to it."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != "<string>"]
    own = [frame for frame in own if not frame.filename.startswith("<frozen")]
    lines = ["%s:%s in %s" % (frame.filename, frame.lineno, frame.name) for frame in own]
    if isinstance(error, SyntaxError) and error.filename:
        lines.append("%s:%s" % (error.filename, error.lineno))
    name, text = type(error).__name__, str(error)[:2000]
    return {"error": name + ": " + text if text else name, "lines": lines[-4:]}


def load():
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    sys.argv = [path]
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def misfit(text, result):
    """Says why a result cannot be carried although Python writes it as JSON."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return "%s (half of a surrogate pair, %r, is not a text)" % (type(result).__name__, text[error.start])
    for number in re.findall(r'"(?:[^"\\]|\\.)*"|(-?\d{19,})(?![\d.eE])', text):
        if number and not -(2**63) <= int(number[:25]) < 2**64:
            return "%s (the number %s… has more digits than can be carried)" % (type(result).__name__, number[:20])
    return None


def run(module, call):
    function = getattr(module, call["name"], None)
    if not callable(function):
        return {"unknown": call["name"]}
    result = function(*call["args"], **call["kwargs"])
    try:
        text = json.dumps(result, allow_nan=False, ensure_ascii=False)
        # Whoever reads the answer refuses what is too long, and need not wait for it to be looked through.
        reason = misfit(text, result) if len(text) <= LONGEST else None
    except (TypeError, ValueError, RecursionError) as error:
        reason = "%s (%s)" % (type(result).__name__, error)
    if reason:
        return {"unfit": reason}
    return {"result": result}


try:
    module = load()
except BaseException as error:
    answer(dict(failure(error), ready=False))
    os._exit(1)
answer({"ready": True})
for line in calls:
    call = json.loads(line)
    try:
        fields = run(module, call)
    except BaseException as error:
        fields = failure(error)
    answer(dict(fields, id=call["id"]))
os._exit(0)
