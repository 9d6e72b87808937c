#!/bin/sh
# engine.sh source|ready FILE - the engine as FILE: built from /src, or the one that the host has laid into /ready.
set -eu

parts=$1 file=$2

commit() { # the commit that /git, the host's own, is at; nothing if there is none
    [ -f /git/HEAD ] || return 0
    read -r head </git/HEAD
    case $head in
        "ref: "*)
            ref=${head#ref: }
            if [ -f "/git/$ref" ]; then
                cut -c 1-12 "/git/$ref"
            elif [ -f /git/packed-refs ]; then
                awk -v ref="$ref" '$2 == ref { print substr($1, 1, 12) }' /git/packed-refs
            fi
            ;;
        *) echo "$head" | cut -c 1-12 ;;
    esac
}

case $parts in
    source)
        # Cargo goes by the times of files, and these are older than what was built of their empty likes.
        find /src -name '*.rs' -exec touch {} +
        WINDLULL_COMMIT=$(commit) cargo build --release --locked --bin windlull-engine
        install -m 0755 target/release/windlull-engine "$file"
        rm -rf target
        ;;
    ready)
        [ -x /ready/windlull-engine ] || {
            echo "error: PARTS=ready, and there is no images/ready/windlull-engine" >&2
            exit 1
        }
        install -m 0755 /ready/windlull-engine "$file"
        ;;
    *)
        echo "error: PARTS is source or ready, not $parts" >&2
        exit 1
        ;;
esac
# One that was built for another C library would not run.
"$file" version
