# What runs behind the walls: codes from the socket at standard input → their answers, for as long as the session lasts.
#
# A frame is its length, four bytes with the highest first, and so much JSON. What a code prints goes to standard output and
# standard error, which uixt reads itself. Everything that is needed later is taken now: a code may change any module.
import _ast
import builtins
import json
import os
import sys
from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from fcntl import F_DUPFD_CLOEXEC, fcntl
from importlib import invalidate_caches


def main(dup=os.dup2, read=os.read, write=os.write, leave=os._exit, dumps=json.dumps, loads=json.loads):
    channel = fcntl(0, F_DUPFD_CLOEXEC, 60)
    null = os.open("/dev/null", os.O_RDONLY)
    dup(null, 0, inheritable=False)
    os.closerange(3, channel)
    os.closerange(channel + 1, 1 << 16)

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

    settings = loads(sys.argv[1])
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
        asked = loads(take(int.from_bytes(take(4), "big")))
        answer = perform(asked, session.__dict__)
        for stream in (sys.stdout, sys.stderr, *outputs):
            try:
                stream.flush()
            except BaseException:
                pass
        answer["id"] = asked["id"]
        send(dumps(answer, ensure_ascii=False))


def perform(asked, names):
    if "distribution" in asked:
        return run(lambda: imported(asked["distribution"]))
    try:
        for name, content in asked["files"].items():
            put(name, content)
    except (OSError, Base64Error, ValueError) as error:
        return {"refused": f"the file `{name}` cannot be written: {error}"}
    invalidate_caches()
    code, place = asked["code"], f"<code {asked['id']}>"
    answer = run(lambda: evaluate(code, place, names), code, place)
    answer["outputs"], answer["missing"] = {}, {}
    for name in asked["outputs"]:
        try:
            answer["outputs"][name] = got(name, asked["most"])
        except (OSError, ValueError) as error:
            answer["missing"][name] = str(error)
    return answer


# Runs a code but for its last expression, whose value it returns.
def evaluate(code, place, names, compile=compile, exec=exec, eval=eval):
    tree = compile(code, place, "exec", _ast.PyCF_ONLY_AST)
    last = None
    if tree.body and isinstance(tree.body[-1], _ast.Expr):
        last = _ast.Expression(tree.body.pop().value)
    exec(compile(tree, place, "exec"), names)
    return eval(compile(last, place, "eval"), names) if last else None


def run(work, code="", place="", write=os.write):
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
        text = json.dumps(value, allow_nan=False, ensure_ascii=False, default=plain)
        if len(text) > most:
            return {"note": f"the result is left out: {len(text)} characters of JSON, more than {most}"}
        json.loads(text, parse_int=small)
        return {"json": text}
    except Exception as error:
        why = str(error).partition("\n")[0][:200]
    kind = type(value).__name__
    try:
        text = repr(value)
    except Exception:
        return {"note": f"the result is left out: {kind}, which cannot be shown ({why})"}
    cut = f", its first {shown} characters" if len(text) > shown else ""
    return {"json": json.dumps(text[:shown]), "note": f"the result is shown as Python shows it{cut}: {kind} ({why})"}


def plain(value):
    tolist = getattr(value, "tolist", None)
    if callable(tolist) and type(value).__module__.partition(".")[0] == "numpy":
        return tolist()
    raise TypeError(f"{type(value).__name__} is no value of JSON")


def small(text):
    number = int(text)
    if not -(1 << 63) <= number < 1 << 64:
        raise ValueError("a whole number of more than 64 bits is no value of JSON everywhere")
    return number


def put(name, content):
    folder = os.path.dirname(name)
    if folder:
        os.makedirs(folder, exist_ok=True)
    data = content.encode() if isinstance(content, str) else a2b_base64(content["base64"])
    with open(name, "wb") as file:
        file.write(data)


def got(name, most):
    if not os.path.isfile(name):
        raise ValueError("there is no such file")
    with open(name, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"it is larger than {most} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": b2a_base64(data, newline=False).decode()}


# Imports what a distribution is made of; returns its version and the names of its modules.
def imported(distribution):
    from importlib import import_module, metadata

    invalidate_caches()
    files = metadata.distribution(distribution).files or []
    tops = {file.parts[0].partition(".")[0] for file in files if str(file).endswith((".py", ".so")) and file.parts[0] != ".."}
    modules = sorted(name for name in tops if name.isidentifier() and not name.startswith("__"))
    for name in modules:
        import_module(name)
    return {"modules": modules, "version": metadata.version(distribution)}


__file__ = main.__code__.co_filename
main()
