#!/bin/sh
# needs.sh rust MANIFEST   - says which Rust a stack's adapter needs; ends with 1 if `cargo` is older
# needs.sh probes MANIFEST - says what its build needs of Debian's packages, a PROBE=PACKAGE each, as scripts/packages.sh takes them
set -eu

what=$1 manifest=$2

case $what in
    rust)
        want=$(sed -n 's/^rust-version = "\([0-9.]*\)"$/\1/p' "$manifest")
        echo "$want"
        have=$(cargo --version | cut -d ' ' -f 2)
        [ "$(printf '%s\n%s\n' "$want" "$have" | sort -V | head -n 1)" = "$want" ]
        ;;
    # One a word; none has a blank in it.
    probes) sed -n 's/^needs = \[\(.*\)\]$/\1/p' "$manifest" | tr -d '",' ;;
    *)
        echo "error: rust or probes, not $what" >&2
        exit 2
        ;;
esac
