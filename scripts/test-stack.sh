#!/bin/sh
# test-stack.sh MANIFEST - test the adapter of a stack from elsewhere.
# A stack may need a newer Rust than we promise. If `cargo` is too old for it, that of NEWER_PATH is taken; without one, this says
# that the adapter was not tested.
set -eu

manifest=$1

if ! stacks/needs.sh rust "$manifest" >/dev/null && [ -n "${NEWER_PATH:-}" ]; then
    PATH=$NEWER_PATH
fi
if ! want=$(stacks/needs.sh rust "$manifest"); then
    stack=$(basename "$(dirname "$manifest")")
    echo "note: the adapter of $stack was NOT tested: it needs Rust $want or newer, and 'cargo' is $(cargo --version | cut -d ' ' -f 2)"
    exit 0
fi

set -f
# shellcheck disable=SC2046 # a list of words
scripts/packages.sh $(stacks/needs.sh probes "$manifest")
cargo test --manifest-path "$manifest" --locked --quiet --lib --tests --target-dir target/stacks/test
