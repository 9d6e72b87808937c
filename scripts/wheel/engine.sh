#!/bin/bash
# engine.sh TARGET FILE - the engine of a release for TARGET (x86_64-unknown-linux-gnu, aarch64-unknown-linux-gnu), as FILE.
#
# The same sources and tools give the same bytes in whatever directory: paths are written into it as /windlull and /crates,
# and flags that the caller's environment has for Rust do not count. Cargo builds in a directory of its own, as these flags are
# those of every crate: they would have all else built anew, too.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ $# -eq 2 ] || { echo "error: engine.sh TARGET FILE" >&2; exit 2; }
target=$1 file=$2

refuse() {
    echo "error: $1" >&2
    exit 1
}

scripts/need.sh cargo
case $target in # and what Debian calls it
    x86_64-unknown-linux-gnu) debian=amd64 ;;
    aarch64-unknown-linux-gnu) debian=arm64 ;;
    *) refuse "a wheel's engine is for x86_64-unknown-linux-gnu or aarch64-unknown-linux-gnu, not for $target" ;;
esac
host=$(rustc -vV | sed -n 's/^host: //p')
compgen -G "$(rustc --print target-libdir --target "$target")/libstd-*.rlib" >/dev/null || refuse "the Rust on the PATH ($(rustc --version)) has no standard library for $target.
  Of rustup:                  rustup target add $target
  The one of our releases:    PATH=\$(scripts/oldest-rust.sh target/oldest $debian):\$PATH make wheel ..."
if [ "$target" != "$host" ]; then
    gnu=${target/-unknown/}
    linker=$gnu-gcc
    scripts/packages.sh "$linker=gcc-${gnu/x86_64/x86-64}" "/usr/$gnu/lib/libc.a=libc6-dev-$debian-cross"
    name=${target//-/_}
    export "CARGO_TARGET_${name^^}_LINKER=$linker"
fi

# Linked as by the Makefile, which says why.
flags=(-C target-feature=+crt-static -C relocation-model=static "--remap-path-prefix=$PWD=/windlull")
cargo fetch --quiet --locked --target "$target"
for crates in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do
    flags+=("--remap-path-prefix=$crates=/crates")
done
separator=$'\x1f'
printf -v joined "%s$separator" "${flags[@]}"
env -u RUSTFLAGS CARGO_ENCODED_RUSTFLAGS="${joined%"$separator"}" CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=target/wheel \
    cargo build --release --locked --quiet --package windlull-engine --bin windlull-engine --target "$target"
install -D -m 0755 "target/wheel/$target/release/windlull-engine" "$file"
