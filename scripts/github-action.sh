#!/usr/bin/env bash
# The steps of action.yml: `install` makes an environment with Windlull in it, `gate` runs the gate there, and shows what
# came of it on the run's page. Inputs come in as variables, the rest from GitHub: GITHUB_ACTION_PATH, RUNNER_TEMP,
# GITHUB_STEP_SUMMARY, GITHUB_OUTPUT.
set -euo pipefail

environment="$RUNNER_TEMP/windlull"

install() {
    if [ -n "$WHEEL" ]; then
        [ -n "$REQUIREMENTS" ] || { echo "error: requirements: is missing; a wheel needs the list that belongs to it" >&2; exit 2; }
        python3 -m venv "$environment"
        "$environment/bin/pip" install --quiet --require-hashes --requirement "$REQUIREMENTS"
        "$environment/bin/pip" install --quiet --no-deps "$WHEEL"
    else
        make -C "$GITHUB_ACTION_PATH" setup
        ln -sfn "$GITHUB_ACTION_PATH/.venv" "$environment"
    fi
}

gate() {
    local given=() rule
    while IFS= read -r rule; do
        if [ -n "${rule//[[:space:]]/}" ]; then given+=(--fail-if "$rule"); fi
    done <<<"$FAIL_IF"
    if [ -n "$VARIANTS" ]; then given+=(--variants "$VARIANTS"); fi
    if [ -n "$REPS" ]; then given+=(--reps "$REPS"); fi
    if [ -n "$SEED" ]; then given+=(--seed "$SEED"); fi
    if [ -n "$UNTIL_DECIDED" ]; then given+=(--until-decided "$UNTIL_DECIDED"); fi
    if [ "$STRICT" = true ]; then given+=(--strict); fi
    mkdir -p "$OUT"
    local code=0
    "$environment/bin/windlull" gate "${given[@]}" --out "$OUT/runs" --json "$OUT/gate.json" --markdown "$OUT/gate.md" \
        --junit "$OUT/gate.xml" -- "$EXPERIMENT" || code=$?
    if [ -f "$OUT/gate.md" ]; then cat "$OUT/gate.md" >>"$GITHUB_STEP_SUMMARY"; fi
    if [ -f "$OUT/gate.json" ]; then
        "$environment/bin/python" -c 'import json, sys; print("status=" + json.load(open(sys.argv[1]))["gate"]["status"])' \
            "$OUT/gate.json" >>"$GITHUB_OUTPUT"
    fi
    return "$code"
}

case "${1:-}" in
    install) install ;;
    gate) gate ;;
    *) echo "usage: $0 install|gate" >&2; exit 2 ;;
esac
