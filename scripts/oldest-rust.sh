#!/bin/bash
# oldest-rust.sh DIRECTORY [ARCHITECTURE] - the oldest Rust that Windlull promises to build with, as Debian packages it, in
# DIRECTORY; with ARCHITECTURE (arm64) also the standard library of programs for that.
# Prints the directory to put first on the PATH. Nothing is installed on the machine, and an ordinary user may do it.
#
# Debian's stable release before this one has it beside a newer one, under names of its own (rustc-web). A suite's files
# run on later releases, too; the libraries that those may no longer have are unpacked with it.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || [ $# -eq 2 ] || { echo "error: where to? oldest-rust.sh DIRECTORY [ARCHITECTURE]" >&2; exit 2; }
mkdir -p "$1"
directory=$(cd "$1" && pwd)
architecture=${2:-}
suite=bookworm version=1.85.0+dfsg3-1~deb12u3

refuse() {
    echo "error: Debian's $suite has no $1 $version for ${2:-this machine}" >&2
    exit 1
}

exec 9>"$directory/lock"
flock 9
if [ ! -e "$directory/$version" ]; then
    rm -rf "${directory:?}"/{root,"$version"*,*.deb}
    "$here/of-suite.sh" "$directory" "$suite" \
        {rustc-web,cargo-web,libstd-rust-web-dev,libstd-rust-web-1.85}="$version" \
        libllvm19 libpcre3 libhttp-parser2.9 libz3-4 libedit2 libxml2 libicu72 libbsd0 libmd0 libssh2-1 patchelf || refuse rustc-web
    for package in "$directory"/*.deb; do
        dpkg-deb --extract "$package" "$directory/root"
    done
    rm -f "$directory"/*.deb
    # The compiler finds its libraries beside itself, and what it starts finds the machine's.
    beside=$directory/root/usr/lib/x86_64-linux-gnu:$directory/root/lib/x86_64-linux-gnu
    for program in cargo rustc rustdoc; do
        "$directory/root/usr/bin/patchelf" --force-rpath --set-rpath "$beside" "$directory/root/usr/bin/$program"
    done
    touch "$directory/$version"
fi
if [ -n "$architecture" ] && [ ! -e "$directory/$version-$architecture" ]; then
    "$here/of-suite.sh" "$directory" "$suite" {libstd-rust-web-dev,libstd-rust-web-1.85}:"$architecture=$version" \
        || refuse libstd-rust-web-dev "$architecture"
    for package in "$directory"/*_"$architecture".deb; do
        dpkg-deb --extract "$package" "$directory/root"
    done
    rm -f "$directory"/*.deb
    touch "$directory/$version-$architecture"
fi
"$directory/root/usr/bin/cargo" --version >&2
echo "$directory/root/usr/bin"
