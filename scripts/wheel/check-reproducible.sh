#!/bin/bash
# check-reproducible.sh DIRECTORY - build the commit's wheel for TARGET twice, and compare the bytes. Exit code 1 if they differ.
#
# Each is built in a fresh clone: their paths have different lengths, and umask, time zone, language and the order of a
# directory's files differ. The tools are those on the PATH; changes that are in no commit are not built.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ $# -eq 1 ] || { echo "error: check-reproducible.sh DIRECTORY" >&2; exit 2; }
mkdir -p "$1"
directory=$(cd "$1" && pwd)
commit=$(git rev-parse HEAD)
target=${TARGET:-$(uname -m)-unknown-linux-gnu}

build() { # build CLONE UMASK VARIABLE=VALUE...
    local clone=$directory/$1
    rm -rf "$clone"
    (
        umask "$2"
        git clone --quiet --no-local . "$clone" && cd "$clone" && git -c advice.detachedHead=false checkout --quiet "$commit"
        shift 2
        env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "$@" make wheel TARGET="$target"
    ) >"$directory/$1.log" 2>&1 || {
        tail -n 30 "$directory/$1.log" >&2
        echo "error: the wheel was not built in $clone; all of it is in $clone.log" >&2
        exit 1
    }
    sha256sum "$clone"/dist/*.whl | sed "s|$directory/||"
}

echo "commit $commit, $target"
echo "$(rustc --version); Node.js $(node --version); $(python3 --version)"
build a 0022 TZ=UTC LC_ALL=C.UTF-8
build another-place-of-some-length 0077 TZ=Asia/Kathmandu LC_ALL=C
exec python3 scripts/wheel/differences.py "$directory"/a/dist/*.whl "$directory"/another-place-of-some-length/dist/*.whl
