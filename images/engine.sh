#!/bin/sh
# engine.sh source|ready FILE - the engine as FILE: built from /src, or the one that the host has laid into /ready.
# engine.sh libraries        - builds for it what it uses, of manifests and sources in the working directory, some still empty.
set -eu

parts=$1 file=${2-} profile=${PROFILE:-release}

# Statically linked: own containers start it in any image, whatever C library that has, and in one that has none. Cargo leaves
# build scripts and macros as they are only where the target is named.
target=$(rustc -vV 2>/dev/null | sed -n 's/^host: //p')
build() {
    # Cargo goes by the times of files, and what is copied here is older than what was built of its empty likes.
    built=target/sources
    mkdir -p target
    [ ! -f $built ] || sha256sum --check --quiet $built 2>/dev/null | sed -n 's/: FAILED$//p' | xargs -r touch
    RUSTFLAGS="-C target-feature=+crt-static" cargo build --profile "$profile" --locked --bin windlull-engine --target "$target"
    find . -path ./target -prune -o -type f -name '*.rs' -exec sha256sum {} + >$built
}

case $parts in
    libraries)
        build
        exit
        ;;
    source)
        # Which commit that is, and whether files differ from it, git says by the host's own.
        [ ! -f /git/HEAD ] || export GIT_DIR=/git GIT_WORK_TREE=/src
        build
        install -m 0755 "target/$target/$profile/windlull-engine" "$file"
        rm -rf target
        if ldd "$file" 2>/dev/null | grep '=>' >&2; then
            echo "error: the engine needs these libraries; it must be linked statically" >&2
            exit 1
        fi
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
# One that was built for another C library or machine would not run.
"$file" version
