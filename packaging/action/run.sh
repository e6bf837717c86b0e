#!/usr/bin/env bash
# Runs `uixt run` with the arguments of the step. Where the report is, and how the run ended, are outputs even where cases failed.
set -euo pipefail

# xargs knows quotes, and expands nothing.
if ! split=$(xargs -n1 printf '%s\n' <<<"$INPUT_ARGS"); then
    echo "::error title=uixt::a quote of \`args\` is not closed: $INPUT_ARGS" >&2
    exit 2
fi
mapfile -t arguments <<<"$split"
[[ -z ${INPUT_DEVICE:-} ]] || arguments+=(--device "$INPUT_DEVICE")

code=0
uixt run "${arguments[@]}" --report-dir "$INPUT_REPORT_DIR" || code=$?
case $code in
    0) result=passed ;;
    1) result=failed ;;
    *) result=error ;;
esac
{
    echo "result=$result"
    echo "exit-code=$code"
    echo "report=$INPUT_REPORT_DIR"
} >>"$GITHUB_OUTPUT"
exit "$code"
