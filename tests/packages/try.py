"""Tries an installed uixt as people use it: `try.py NAME VERSION FOLDER -- COMMAND…` prints a row for each thing tried.

FOLDER is where it works, as the program sees it; UIXT_SEEN_FROM is that folder's place outside, where the program is in a chroot.
"""

import json
import os
import pty
import signal
import subprocess
import sys
import time

CASES = {
    "passes.yaml": "config: {name: Passes}\nteststeps:\n- app_launch: com.uixt.shop\n- tap_element: Remember me\n- home:\n"
    "- assert_foreground_app: com.uixt.launcher\n",
    "fails.yaml": "config: {name: Fails}\nteststeps:\n- assert_visible: {text: Nowhere, timeout: 0.1}\n",
    "wrong.yaml": "config: {name: Wrong}\nteststeps:\n- tapp: OK\n",
    "slow.yaml": "config: {name: Slow}\nteststeps:\n- sleep: 60\n",
}
ENDED = (130, 143)


class Failed(Exception):
    """What was tried does not hold, with what was seen."""


def expect(holds, seen):
    if not holds:
        raise Failed(str(seen)[-300:].replace("\n", " ").replace("|", "/"))


class Tried:
    def __init__(self, version, folder, command):
        self.version, self.folder, self.command = version, folder, command
        self.outside = os.environ.get("UIXT_SEEN_FROM", folder)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("UIXT_")}
        os.makedirs(self.outside, exist_ok=True)
        for name, text in CASES.items():
            with open(os.path.join(self.outside, name), "w", encoding="utf-8") as file:
                file.write(text)

    def run(self, *arguments):
        return subprocess.run([*self.command, *arguments], cwd=self.outside, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)

    def case(self, name, report):
        return ["run", f"{self.folder}/{name}", "--device", "phone", "--report-dir", f"{self.folder}/{report}"]

    def says_its_version(self):
        began = time.monotonic()
        told = self.run("--version")
        expect(told.returncode == 0 and told.stdout.decode().splitlines()[-1:] == [f"uixt {self.version}"], told)
        return f"{(time.monotonic() - began) * 1000:.0f} ms"

    def exits_as_the_run_did(self):
        codes = {name: self.run(*self.case(name, name + ".report")) for name in ("passes.yaml", "fails.yaml", "wrong.yaml")}
        seen = [told.returncode for told in codes.values()]
        expect(seen == [0, 1, 2], (seen, codes["passes.yaml"].stdout.decode()))
        expect(os.path.exists(f"{self.outside}/passes.yaml.report/junit.xml"), "no junit.xml")
        return "0, 1, 2; the virtual phone ran a case"

    def serves_mcp(self):
        wanted = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize",
             "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "packages", "version": "1"}}},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        ]
        process = subprocess.Popen([*self.command, "mcp-server", "--device", "phone"], cwd=self.outside, env=self.environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            answers = []
            for message in wanted:
                process.stdin.write(json.dumps(message).encode() + b"\n")
                process.stdin.flush()
                if "id" in message:
                    answers.append(json.loads(process.stdout.readline()))
            process.stdin.close()
            code = process.wait(timeout=20)
        finally:
            process.kill()
        tools = answers[1]["result"]["tools"]
        expect(answers[0]["result"]["serverInfo"]["version"] == self.version and len(tools) > 10 and code == 0, (answers, code))
        return f"{len(tools)} tools; ends with its input"

    def start_slow(self, report, **options):
        process = subprocess.Popen([*self.command, *self.case("slow.yaml", report)], cwd=self.outside, env=self.environment,
                                   start_new_session=True, **options)
        until = time.monotonic() + 20
        while time.monotonic() < until and process.poll() is None and not os.path.exists(f"{self.outside}/{report}/journal.jsonl"):
            time.sleep(0.05)
        # The case itself is to be running, not only its report.
        time.sleep(0.5)
        expect(process.poll() is None, f"it ended by itself with {process.poll()}")
        return process

    def ended(self, process, report):
        try:
            code = process.wait(timeout=20)
            left = in_session(process.pid)
        except subprocess.TimeoutExpired:
            code, left = "none in 20 s", in_session(process.pid)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        expect(not left, f"exit {code}, and {len(left)} processes were left")
        expect(code in ENDED, f"exit {code}")
        expect(os.path.exists(f"{self.outside}/{report}/junit.xml"), "no report was written")
        return f"exit {code}, nothing left, the report written"

    def ends_by_signal_to_the_group(self):
        process = self.start_slow("group", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.killpg(process.pid, signal.SIGINT)
        return self.ended(process, "group")

    def ends_by_signal_to_what_was_started(self):
        seen = []
        for name in ("SIGTERM", "SIGINT"):
            process = self.start_slow(name, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            os.kill(process.pid, getattr(signal, name))
            seen.append(f"{name}: {self.ended(process, name)}")
        return "; ".join(seen)

    def ends_by_ctrl_c_of_a_terminal(self):
        ours, theirs = pty.openpty()

        def take_terminal():
            import fcntl
            import termios
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        try:
            process = self.start_slow("terminal", stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=take_terminal)
            os.write(ours, b"\x03")
            return self.ended(process, "terminal")
        finally:
            os.close(theirs)
            os.close(ours)

    def tells_of_a_program_that_was_killed(self):
        process = self.start_slow("killed", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        program = [pid for pid in in_session(process.pid) if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "uixt"]
        expect(program, "there is no process of uixt")
        os.kill(program[0], signal.SIGKILL)
        code = process.wait(timeout=20)
        expect(code in (-signal.SIGKILL, 137), f"exit {code}")
        return f"exit {code}"

    def completes_commands(self):
        folder = os.environ["UIXT_SHARE"]
        files = ["bash-completion/completions/uixt", os.environ.get("UIXT_ZSH", "zsh/site-functions") + "/_uixt", "fish/vendor_completions.d/uixt.fish"]
        missing = [name for name in files if not os.path.isfile(f"{folder}/{name}")]
        expect(not missing, f"missing: {missing}")
        expect(open(f"{folder}/{files[1]}", encoding="utf-8").readline() == "#compdef uixt\n", "zsh's file does not begin with #compdef")
        program = " ".join(self.command)
        # The script calls `uixt`, which is what was installed.
        script = (f'uixt() {{ {program} "$@"; }}; source "{folder}/{files[0]}"; COMP_WORDS=(uixt ru); COMP_CWORD=1; '
                  '_clap_complete_uixt uixt ru uixt 2>/dev/null; echo "${COMPREPLY[@]}"')
        told = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.environment, timeout=60)
        expect(told.stdout.split()[:1] == [b"run"], told.stdout.decode())
        return "bash completes `uixt ru`; files of zsh and fish are there"

    def has_man_pages(self):
        pages = sorted(name for name in os.listdir(f"{os.environ['UIXT_SHARE']}/man/man1") if name.startswith("uixt"))
        expect(len(pages) > 30, pages)
        for page in ("uixt.1", "uixt-run.1"):
            path = next(f"{os.environ['UIXT_SHARE']}/man/man1/{name}" for name in pages if name in (page, page + ".gz"))
            told = subprocess.run(["man", "-l", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**self.environment, "MANWIDTH": "100"}, timeout=60)
            expect(told.returncode == 0 and not told.stderr and b"SYNOPSIS" in told.stdout and b"EXIT STATUS" in told.stdout, told)
        return f"{len(pages)} pages"


def in_session(session):
    """The processes of a session that have not ended."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] not in "ZX":
                found.append(int(name))
    return found


def main():
    at = sys.argv.index("--")
    name, version, folder = sys.argv[1:at]
    tried = Tried(version, folder, sys.argv[at + 1:])
    checks = [tried.says_its_version, tried.exits_as_the_run_did, tried.serves_mcp]
    if not os.environ.get("UIXT_BRIEFLY"):
        checks += [tried.ends_by_signal_to_the_group, tried.ends_by_signal_to_what_was_started, tried.ends_by_ctrl_c_of_a_terminal,
                   tried.tells_of_a_program_that_was_killed]
    if os.environ.get("UIXT_SHARE"):
        checks += [tried.completes_commands, tried.has_man_pages]
    for check in checks:
        try:
            outcome, seen = "ok", check()
        except (Failed, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            outcome, seen = "FAILED", f"{type(error).__name__}: {error}".replace("\n", " ")[:300]
        print(f"{name}|{check.__name__.replace('_', ' ')}|{outcome}|{seen}", flush=True)


if __name__ == "__main__":
    main()
