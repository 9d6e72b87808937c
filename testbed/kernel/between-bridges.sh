#!/bin/sh
# Runs between three processes, joined by two bridges as containers are, by the netem plane in a kernel that has it, in
# virtual time: the tests of testbed/cli/tests/compose that concern the plane. `make test-kernel` calls it.
set -eu
root=$(CDPATH='' cd "$(dirname "$0")/../.." && pwd)
cd "$root"
options=${*---release}
# shellcheck disable=SC2086 # options are words
cargo build --locked --quiet $options -p windlull-kernel
case $options in *--release*) built=target/release ;; *) built=target/debug ;; esac
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
host=$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')
runner="$root/$built/windlull-kernel run --kernel $root/target/kernel/stock/linux --scratch $scratch --limit 600 --"
runner="$runner env TMPDIR=$scratch"
# shellcheck disable=SC2086
env "CARGO_TARGET_${host}_RUNNER=$runner" cargo test --locked --quiet $options -p windlull-engine --test compose -- between_two_bridges --test-threads 1
