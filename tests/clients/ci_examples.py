"""Holds the examples for CI servers in a page of the manual to what those servers accept.

Usage: ci_examples.py PAGE. GitLab's and GitHub's against their JSON schemas (check-jsonschema has them), the Job against the fields of
Kubernetes' API that it may have, the Jenkinsfile against the sections of declarative pipelines. Prints a JSON object: the shell commands of
each, by the server's name.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

from ruamel.yaml import YAML

# https://kubernetes.io/docs/reference/kubernetes-api/: the fields of batch/v1 Job and of what it holds that such a Job has use for.
JOB = {
    "": {"apiVersion", "kind", "metadata", "spec"},
    "spec": {"completions", "parallelism", "completionMode", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished", "template"},
    "spec.template": {"metadata", "spec"},
    "spec.template.spec": {"containers", "restartPolicy", "volumes", "initContainers", "nodeSelector", "serviceAccountName"},
    "spec.template.spec.containers[]": {"name", "image", "command", "args", "env", "envFrom", "resources", "volumeMounts", "workingDir"},
    "spec.template.spec.containers[].env[]": {"name", "value", "valueFrom"},
}
# https://www.jenkins.io/doc/book/pipeline/syntax/: the sections and directives that hold others, and what may stand in each.
PIPELINE = {
    "": {"pipeline"},
    "pipeline": {"agent", "environment", "stages", "post", "options", "parameters", "triggers", "tools"},
    "stages": {"stage"},
    "stage": {"steps", "matrix", "stages", "parallel", "agent", "environment", "when", "post", "options"},
    "matrix": {"axes", "agent", "stages", "post", "excludes", "environment", "when", "options"},
    "axes": {"axis"},
    "axis": {"name", "values"},
    "post": {"always", "success", "failure", "unstable", "cleanup"},
}


def blocks(page):
    return re.findall(r"```text\n(.*?)```", page, re.DOTALL)


def one(found, what):
    if len(found) != 1:
        sys.exit(f"{len(found)} examples of {what}, not one")
    return found[0]


def held_to(schema, text):
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        file.write(text)
        file.flush()
        command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, file.name]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{schema}:\n{done.stdout}{done.stderr}\n{text}")
    return YAML(typ="safe").load(text)


def fields(value, path=""):
    if isinstance(value, list):
        for item in value:
            fields(item, f"{path}[]")
    elif isinstance(value, dict) and path in JOB:
        unknown = set(value) - JOB[path]
        if unknown:
            sys.exit(f"Kubernetes: `{path}` has no {', '.join(sorted(unknown))}")
        for key, inner in value.items():
            fields(inner, f"{path}.{key}".lstrip("."))


def kubernetes(text):
    job = YAML(typ="safe").load(text)
    fields(job)
    spec = job["spec"]
    pod = spec["template"]["spec"]
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job"), job
    assert pod["restartPolicy"] in ("Never", "OnFailure") and spec["completionMode"] in ("Indexed", "NonIndexed"), spec
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", job["metadata"]["name"]), job["metadata"]
    assert all(isinstance(entry["value"], str) for entry in pod["containers"][0]["env"]), "values are texts"
    return [" ".join(container["command"]) for container in pod["containers"]]


def jenkins(text):
    """Walks the braces, and checks what opens each of them."""
    open_ones, commands = [""], []
    for token in re.findall(r"'[^']*'|\"[^\"]*\"|[\w.]+(?:\s*\([^)]*\))?\s*\{|[\w.]+|\{|\}", text):
        if token.endswith("{"):
            name = re.match(r"\w+", token).group()
            allowed = PIPELINE.get(open_ones[-1])
            if allowed is not None and name not in allowed:
                sys.exit(f"Jenkins: `{open_ones[-1]}` has no `{name}`")
            open_ones.append(name)
        elif token == "}":
            open_ones.pop()
            if not open_ones:
                sys.exit("Jenkins: a `}` too many")
    if open_ones != [""]:
        sys.exit(f"Jenkins: {open_ones[-1]} is not closed")
    commands.extend(re.findall(r"sh '([^']*)'", text))
    return commands


def main():
    page = blocks(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    having = lambda part: [text for text in page if part in text]
    gitlab = held_to("vendor.gitlab-ci", one(having("CI_NODE_INDEX\n"), "GitLab"))
    github = held_to("vendor.github-workflows", "on: push\n" + one(having("strategy: {matrix"), "GitHub"))
    script = gitlab["uixt"]["script"]
    commands = {
        "gitlab": [script] if isinstance(script, str) else script,
        "github": [step["run"] for step in github["jobs"]["uixt"]["steps"] if "run" in step],
        "kubernetes": kubernetes(one(having("kind: Job"), "Kubernetes")),
        "jenkins": jenkins(one(having("pipeline {"), "Jenkins")),
    }
    print(json.dumps(commands))


if __name__ == "__main__":
    main()
