# What runs behind the walls: codes from the socket at standard input → their answers, for as long as the session lasts.
#
# A frame is its length, four bytes with the highest first, and so much JSON. What a code prints goes to standard output and
# standard error, which uixt reads itself. Everything that is needed later is taken now: a code may change any module. Nothing is
# imported before it is needed: that is most of what a start costs.
import _ast
import builtins
import posix
import sys


def main(read=posix.read, write=posix.write, leave=posix._exit, evaluate=eval, number=int.from_bytes):
    channel = 60
    posix.dup2(0, channel, inheritable=False)
    null = posix.open("/dev/null", posix.O_RDONLY)
    posix.dup2(null, 0, inheritable=False)
    posix.closerange(3, channel)
    posix.closerange(channel + 1, 1 << 16)
    # What uixt writes as JSON means the same in Python, but for three words.
    words = {"true": True, "false": False, "null": None, "__builtins__": {}}

    def take(count):
        data = bytearray()
        while len(data) < count:
            part = read(channel, count - len(data))
            if not part:
                leave(0)
            data += part
        return bytes(data)

    def send(frame):
        data = frame.encode("utf-8", "replace")
        data = memoryview(len(data).to_bytes(4, "big") + data)
        while data:
            data = data[write(channel, data):]

    settings = evaluate(sys.argv[1], words)
    sys.argv[:] = [""]
    sys.path[:] = [settings["folder"], settings["packages"], *sys.path, *settings["site"]]
    sys.stdout.reconfigure(line_buffering=True)
    outputs = (sys.stdout, sys.stderr)
    session = type(sys)("__main__")
    session.__builtins__ = builtins
    builtins.exit = builtins.quit = sys.exit
    sys.modules["__main__"] = session
    send('{"ready": true}')
    while True:
        asked = evaluate(take(number(take(4), "big")).decode(), words)
        answer = perform(asked, session.__dict__)
        for stream in (sys.stdout, sys.stderr, *outputs):
            try:
                stream.flush()
            except BaseException:
                pass
        answer["id"] = asked["id"]
        send(written(answer))


SIGNS = {sign: f"\\u{sign:04x}" for sign in range(32)} | {34: '\\"', 92: "\\\\"}


# An answer as JSON: of all that there is, texts, numbers and maps are in it.
def written(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(str(key))}: {written(one)}" for key, one in value.items()) + "}"
    if isinstance(value, str):
        return '"' + value.translate(SIGNS) + '"'
    return "null" if value is None else str(int(value))


def perform(asked, names):
    if "distribution" in asked:
        return run(lambda: imported(asked["distribution"]))
    for name, content in asked["files"].items():
        try:
            put(name, content)
        except Exception as error:
            return {"refused": f"the file `{name}` cannot be written: {error}"}
    for finder in (*sys.meta_path, *sys.path_importer_cache.values()):
        getattr(finder, "invalidate_caches", lambda: None)()
    code, place = asked["code"], f"<code {asked['id']}>"
    answer = run(lambda: evaluate(code, place, names), code, place)
    answer["outputs"], answer["missing"] = {}, {}
    for name in asked["outputs"]:
        try:
            answer["outputs"][name] = got(name, asked["most"])
        except Exception as error:
            answer["missing"][name] = str(error)
    return answer


# Runs a code but for its last expression, whose value it returns.
def evaluate(code, place, names, compile=compile, exec=exec, eval=eval):
    tree = compile(code, place, "exec", 0x400)
    last = None
    if tree.body and isinstance(tree.body[-1], _ast.Expr):
        last = _ast.Expression(tree.body.pop().value)
    exec(compile(tree, place, "exec"), names)
    return eval(compile(last, place, "eval"), names) if last else None


def run(work, code="", place="", write=posix.write):
    try:
        return {"return_code": 0, **told(work())}
    except SystemExit as error:
        return {"return_code": left(error.code)}
    except BaseException as error:
        answer = {"return_code": 1, "raised": raised(error, place)}
        try:
            text = traced(error, code, place)
        except BaseException:
            text = f"{answer['raised']['type']}: {answer['raised']['message']}\n"
        try:
            sys.stderr.write(text)
        except BaseException:
            try:
                write(2, text.encode("utf-8", "replace"))
            except OSError:
                pass
        return answer


# The exit code of `sys.exit(code)`, as Python itself has it.
def left(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    try:
        print(code, file=sys.stderr)
    except Exception:
        pass
    return 1


def raised(error, place):
    try:
        message = str(error)
    except BaseException:
        message = ""
    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) and error.filename == place else None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == place:
            line = trace.tb_lineno
        trace = trace.tb_next
    return {"type": type(error).__name__, "message": message[:2000], "line": line}


def traced(error, code, place):
    import linecache
    import traceback

    linecache.cache[place] = (len(code), None, code.splitlines(True), place)
    own = error.__traceback__
    while own is not None and own.tb_frame.f_code.co_filename == __file__:
        own = own.tb_next
    return "".join(traceback.format_exception(type(error), error, own, limit=-50))


# A value as JSON that reads the same elsewhere; what has none is shown as Python shows it, and that is said.
def told(value, most=1 << 20, shown=1 << 16):
    if value is None:
        return {}
    try:
        text = encoded(value)
        if len(text) > most:
            return {"note": f"the result is left out: {len(text)} characters of JSON, more than {most}"}
        return {"json": text}
    except Exception as error:
        why = str(error).partition("\n")[0][:200]
    kind = type(value).__name__
    try:
        text = repr(value)
    except Exception:
        return {"note": f"the result is left out: {kind}, which cannot be shown ({why})"}
    cut = f", its first {shown} characters" if len(text) > shown else ""
    note = f"the result is shown as Python shows it{cut}: {kind} ({why})"
    return {"json": written(text[:shown]), "note": note}


def encoded(value):
    if value is True or value is False:
        return "true" if value else "false"
    if type(value) is int:
        return str(small(value))
    if type(value) is str:
        return written(value)
    import json

    text = json.dumps(value, allow_nan=False, ensure_ascii=False, default=plain)
    json.loads(text, parse_int=small)
    return text


def plain(value):
    tolist = getattr(value, "tolist", None)
    if callable(tolist) and type(value).__module__.partition(".")[0] == "numpy":
        return tolist()
    raise TypeError(f"{type(value).__name__} is no value of JSON")


def small(number):
    number = int(number)
    if not -(1 << 63) <= number < 1 << 64:
        raise ValueError("a whole number of more than 64 bits is no value of JSON everywhere")
    return number


def put(name, content):
    import os

    folder = os.path.dirname(name)
    if folder:
        os.makedirs(folder, exist_ok=True)
    if isinstance(content, str):
        data = content.encode()
    else:
        from binascii import a2b_base64

        data = a2b_base64(content["base64"])
    with open(name, "wb") as file:
        file.write(data)


def got(name, most):
    import os

    if not os.path.isfile(name):
        raise ValueError("there is no such file")
    with open(name, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"it is larger than {most} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError:
        from binascii import b2a_base64

        return {"base64": b2a_base64(data, newline=False).decode()}


# Imports what a distribution is made of; returns its version and the names of its modules.
def imported(distribution):
    from importlib import import_module, invalidate_caches, metadata

    invalidate_caches()
    files = metadata.distribution(distribution).files or []
    tops = {file.parts[0].partition(".")[0] for file in files if str(file).endswith((".py", ".so")) and file.parts[0] != ".."}
    modules = sorted(name for name in tops if name.isidentifier() and not name.startswith("__"))
    for name in modules:
        import_module(name)
    return {"modules": modules, "version": metadata.version(distribution)}


__file__ = main.__code__.co_filename
main()
