#!/bin/sh
# test-stack.sh MANIFEST - test the adapter of a stack from elsewhere.
# A stack may need a newer Rust than we promise. If `cargo` is too old for it, that of NEWER_PATH is taken; without one, this says
# that the adapter was not tested.
set -eu

manifest=$1
stack=$(basename "$(dirname "$manifest")")
want=$(sed -n 's/^rust-version = "\([0-9.]*\)"$/\1/p' "$manifest")

is_enough() {
    have=$(cargo --version | cut -d ' ' -f 2)
    [ "$(printf '%s\n%s\n' "$want" "$have" | sort -V | head -n 1)" = "$want" ]
}

if ! is_enough && [ -n "${NEWER_PATH:-}" ]; then
    PATH=$NEWER_PATH
fi
if ! is_enough; then
    echo "note: the adapter of $stack was NOT tested: it needs Rust $want or newer, and 'cargo' is $have"
    exit 0
fi

# Probes and their packages, one a word; none has a blank in it.
needs=$(sed -n 's/^needs = \[\(.*\)\]$/\1/p' "$manifest" | tr -d '",')
set -f
# shellcheck disable=SC2086 # a list of words
scripts/packages.sh $needs
cargo test --manifest-path "$manifest" --locked --quiet --lib --tests --target-dir target/stacks/test
