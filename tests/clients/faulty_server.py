"""An MCP server that does wrong in the way that its first argument names. A second argument marks its processes."""

import json
import os
import signal
import subprocess
import sys
import time

FAULT = sys.argv[1]
WAITING = []


def out(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def send(**message):
    out(json.dumps({"jsonrpc": "2.0", **message}))


def say(text):
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def result(id, text, is_error=False):
    send(id=id, result={"content": [{"type": "text", "text": text}], "isError": is_error})


def sleep_on():
    while True:
        time.sleep(60)


def flood(text):
    while True:
        sys.stdout.write(text * 1000)
        sys.stdout.flush()


def ask(id, method, params):
    send(id="ask", method=method, params=params)
    answer = json.loads(sys.stdin.readline())
    if "error" in answer:
        result(id, "no model: " + answer["error"]["message"], True)
    else:
        result(id, json.dumps(answer["result"]), answer["result"].get("action") == "decline")


def call(id, arguments):
    match FAULT:
        case "dies in a call":
            say("boom: the disk is full")
            os._exit(7)
        case "dies in every second call":
            if arguments.get("number", 0) % 2:
                os._exit(1)
            result(id, "fine")
        case "dies half-way":
            sys.stdout.write('{"jsonrpc": "2.0", "id": %d, "resu' % id)
            sys.stdout.flush()
            os._exit(0)
        case "hangs":
            sleep_on()
        case "answers pings only":
            pass
        case "a line of 100 MB":
            for _ in range(100):
                sys.stdout.write("x" * (1 << 20))
            out("")
        case "floods with garbage":
            flood("nonsense\n")
        case "floods with notifications":
            flood('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n')
        case "floods its log":
            for _ in range(50):
                sys.stderr.write("y" * (1 << 20))
            result(id, "fine")
        case "garbage":
            for text in ["Debugger attached.", "{", "[]", "null", '{"jsonrpc":"2.0"}', "\x1b[31mred"]:
                out(text)
            result(id, "fine")
        case "out of order":
            WAITING.append(id)
            if len(WAITING) == 4:
                for waiting in reversed(WAITING):
                    result(waiting, str(waiting))
                WAITING.clear()
        case "answers what nobody asked":
            result(4711, "no")
        case "answers with something else":
            send(id=id, result={"tools": 3})
        case "refuses":
            send(id=id, error={"code": -32602, "message": "no tool of that name"})
        case "asks for sampling":
            message = {"role": "user", "content": {"type": "text", "text": "hello"}}
            ask(id, "sampling/createMessage", {"messages": [message], "maxTokens": 10})
        case "asks the user":
            schema = {"type": "object", "properties": {"name": {"type": "string", "default": "Ming"}}}
            ask(id, "elicitation/create", {"message": "Who?", "requestedSchema": schema})
        case "tells its secret":
            say("my key is " + os.environ["KEY"])
            result(id, "the key is " + os.environ["KEY"], True)
        case _:
            result(id, "fine")


def main():
    if FAULT == "dies at its start":
        say("Traceback: there is no module named nothing")
        sys.exit(3)
    if FAULT in ("does not start", "does not read"):
        sleep_on()
    if FAULT == "does not end":
        for ignored in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(ignored, signal.SIG_IGN)
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", *sys.argv[2:]])
    for line in sys.stdin:
        message = json.loads(line)
        id, method = message.get("id"), message.get("method")
        if id is None or method is None:
            continue
        if method == "initialize":
            info = {"name": "faulty", "version": "1"}
            version = message["params"]["protocolVersion"]
            send(id=id, result={"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info})
        elif method == "tools/list":
            page = {"tools": [{"name": "do", "inputSchema": {"type": "object"}}]}
            if FAULT == "lists without an end":
                page["nextCursor"] = "more"
            send(id=id, result=page)
        elif method == "tools/call":
            call(id, message["params"].get("arguments") or {})
        elif FAULT != "hangs":
            send(id=id, result={})
    if FAULT == "does not end":
        sleep_on()


main()
