#!/bin/bash
# check-core.sh ROOM... - the core crates reach no clock, no randomness of the machine, no file, no socket.
# Proves first that the lint bites: every line marked so in lints/control must be refused.
set -euo pipefail

export CLIPPY_CONF_DIR="$PWD/lints/core"
deny=(-D warnings -D clippy::disallowed_methods -D clippy::disallowed_types)

control=lints/control
refusals=$(
    { cargo clippy --quiet --manifest-path $control/Cargo.toml --target-dir target/lint-control --message-format short \
        -- "${deny[@]}" 2>&1 || true; } | sed -n 's/^src\/lib\.rs:\([0-9]*\):.*use of a disallowed.*/\1/p' | sort -nu
)
expected=$(grep -n '// refused$' $control/src/lib.rs | cut -d : -f 1)
if [ "$refusals" != "$expected" ]; then
    echo "error: lints/core does not refuse what it must; lines refused: ${refusals//$'\n'/ } - expected: ${expected//$'\n'/ }" >&2
    exit 1
fi

packages=()
for room in "$@"; do packages+=(--package "windlull-$room"); done
# Tests may read files; the crates themselves may not, hence no --all-targets.
cargo clippy --quiet --locked --no-deps "${packages[@]}" -- "${deny[@]}"
