#!/bin/sh
# need.sh COMMAND... - stop with a helpful message unless each command is there and new enough.
set -eu

root=$(dirname "$0")/..
# The manifests say what is promised.
rust=$(sed -n 's/^rust-version = "\([0-9.]*\)"$/\1/p' "$root/Cargo.toml")
node=$(sed -n 's/^ *"node": ">=\([0-9.]*\)"$/\1/p' "$root/web/package.json")

at_least() { # at_least HAVE WANT: is version HAVE not older than WANT?
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

refuse() {
    echo "error: $1" >&2
    exit 1
}

for command in "$@"; do
    command -v "$command" >/dev/null 2>&1 || case $command in
        cargo) refuse "Rust is needed ($rust or newer) and 'cargo' is not on the PATH; install it with rustup (https://rustup.rs)" ;;
        cargo-mutants) refuse "'cargo-mutants' is not on the PATH; install it with: cargo install cargo-mutants --version 27.1.0 --locked" ;;
        cargo-semver-checks) refuse "'cargo-semver-checks' is not on the PATH; install it with: cargo install cargo-semver-checks --version 0.51.0 --locked" ;;
        node | npm) refuse "Node.js is needed ($node or newer) and '$command' is not on the PATH; see https://nodejs.org" ;;
        *) refuse "'$command' is needed and not on the PATH" ;;
    esac
    case $command in
        cargo)
            have=$(cargo --version | cut -d ' ' -f 2)
            at_least "$have" "$rust" || refuse "Rust $rust or newer is needed; 'cargo' is $have"
            ;;
        node)
            have=$(node --version | tr -d v)
            at_least "$have" "$node" || refuse "Node.js $node or newer is needed; 'node' is $have"
            ;;
    esac
done
