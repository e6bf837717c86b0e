#!/usr/bin/env bash
# Makes the manual a web site: packaging/site.sh [OUT], target/site by default. MkDocs stands in a venv under target/. A broken link, a
# page that one language lacks, or anything that a page would fetch from elsewhere fails it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=$(realpath -m "${1:-target/site}")
venv=target/site-venv
wanted=packaging/site/requirements.txt
if ! cmp -s "$wanted" "$venv/requirements.txt"; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"
    cp "$wanted" "$venv/requirements.txt"
fi

# Material's banner about its successor says nothing of the pages.
export NO_MKDOCS_2_WARNING=1 PYTHONPATH=packaging/site PYTHONDONTWRITEBYTECODE=1
for half in mkdocs.yml:"$out" zh.yml:"$out/zh"; do
    "$venv/bin/mkdocs" build --strict --clean --config-file "packaging/site/${half%%:*}" --site-dir "${half#*:}"
done
python3 packaging/site/check.py "$out"
