#!/bin/sh
# stacks.sh source|ready DIRECTORY [STACK]... - engines with stacks from elsewhere in them, as DIRECTORY/STACK/engine: built from
# /src, or those that the host has laid into /ready/stacks.
set -eu

parts=$1 directory=$2
shift 2
mkdir -p "$directory"

refuse() {
    echo "error: $1" >&2
    exit 1
}

for stack in "$@"; do
    case $parts in
        source)
            manifest=/src/stacks/$stack/Cargo.toml
            [ -f "$manifest" ] || refuse "there is no stack $stack in stacks/"
            # Which commit that is, and whether files differ from it, git says by the host's own.
            [ ! -f /git/HEAD ] || export GIT_DIR=/git GIT_WORK_TREE=/src
            want=$(sed -n 's/^rust-version = "\([0-9.]*\)"$/\1/p' "$manifest")
            have=$(cargo --version | cut -d ' ' -f 2)
            [ "$(printf '%s\n%s\n' "$want" "$have" | sort -V | head -n 1)" = "$want" ] \
                || refuse "the stack $stack needs Rust $want or newer, and the image's is $have; build it outside: windlull stacks build $stack, then PARTS=ready"
            needs=$(sed -n 's/^needs = \[\(.*\)\]$/\1/p' "$manifest" | tr -d '",' | sed 's/[^ ]*=//g')
            # shellcheck disable=SC2086 # a list of words
            [ -z "$needs" ] || install.sh $needs
            cargo build --release --locked --package "windlull-$stack-engine" --manifest-path "$manifest" --target-dir /target
            install -D -m 0755 "/target/release/windlull-$stack-engine" "$directory/$stack/engine"
            ;;
        ready)
            [ -x "/ready/stacks/$stack/engine" ] || refuse "PARTS=ready, and there is no images/ready/stacks/$stack/engine"
            install -D -m 0755 "/ready/stacks/$stack/engine" "$directory/$stack/engine"
            ;;
        *) refuse "PARTS is source or ready, not $parts" ;;
    esac
    # One that was built for another C library or machine would not run.
    "$directory/$stack/engine" version
done
rm -rf /target
