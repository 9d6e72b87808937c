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

# Which commit that is, and whether files differ from it, git says by the host's own.
[ ! -f /git/HEAD ] || export GIT_DIR=/git GIT_WORK_TREE=/src

for stack in "$@"; do
    case $parts in
        source)
            manifest=/src/stacks/$stack/Cargo.toml
            [ -f "$manifest" ] || refuse "there is no stack $stack in stacks/"
            want=$(/src/stacks/needs.sh rust "$manifest") \
                || refuse "the stack $stack needs Rust $want or newer, and the image's is $(cargo --version | cut -d ' ' -f 2); build it outside: windlull stacks build $stack, then PARTS=ready"
            packages=$(/src/stacks/needs.sh probes "$manifest" | sed 's/[^ ]*=//g')
            # shellcheck disable=SC2086 # a list of words
            [ -z "$packages" ] || install.sh $packages
            cargo build --release --locked --package "windlull-$stack-engine" --manifest-path "$manifest" --target-dir /target
            engine=/target/release/windlull-$stack-engine
            ;;
        ready)
            engine=/ready/stacks/$stack/engine
            [ -x "$engine" ] || refuse "PARTS=ready, and there is no images$engine"
            ;;
        *) refuse "PARTS is source or ready, not $parts" ;;
    esac
    install -D -m 0755 "$engine" "$directory/$stack/engine"
    # One that was built for another C library or machine would not run.
    "$directory/$stack/engine" version
done
rm -rf /target
