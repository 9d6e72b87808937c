#!/bin/bash
# fetch.sh DIRECTORY - Debian's kernel source package into DIRECTORY, signatures verified; prints FILE VERSION SHA256.
#
# VERSION names another version than source.txt does (6.12.95-1), or a series (6.1), whose newest is taken.
# The package comes from the suite that series.txt names for its series, or else from that of source.txt, whatever the
# release of this machine; scripts/of-suite.sh says how.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
directory=$(cd "$1" && pwd)
read -r package version suite sha256 < <(grep -v '^#' "$here/source.txt")

refuse() {
    echo "error: $1" >&2
    exit 1
}

given=
if [ -n "${VERSION:-}" ]; then
    [[ $VERSION =~ ^([0-9]+\.[0-9]+)(\.[0-9]+-.+)?$ ]] ||
        refuse "--version $VERSION: a version of Debian's package, as 6.12.107-1, or a series, as 6.12"
    given=$VERSION
    # What source.txt has pinned is another one.
    if [ "$VERSION" != "$version" ]; then
        package=linux-source-${BASH_REMATCH[1]} version='' sha256=''
        listed=$(awk -v series="${BASH_REMATCH[1]}" '$1 == series { print $2 }' "$here/series.txt")
        suite=${listed:-$suite}
    fi
fi

is_pinned() { # is_pinned FILE: is it the very file that source.txt names?
    [ -n "$sha256" ] && [ -f "$1" ] && echo "$sha256  $1" | sha256sum --check --status
}

pinned=$directory/${package}_${version}_all.deb
if is_pinned "$pinned"; then
    echo "$pinned $version $sha256"
    exit 0
fi

command -v apt-get >/dev/null || refuse "the kernel's source is a Debian package, and this machine has no apt-get; give its tar file: LINUX_SOURCE=/path/to/linux-source-6.12.tar.xz make kernel"

suite_has() { # suite_has PACKAGE[=VERSION]: fetch it; false if the suite does not have it
    "$here/../../scripts/of-suite.sh" "$directory" "$suite" "$1" && return
    local code=$?
    [ "$code" -eq 3 ] || exit "$code"
    return 1
}

newest() {
    pinned=$(find "$directory" -maxdepth 1 -name "${package}_${1:-*}_all.deb" | sort -V | tail -n 1)
    version=$(dpkg-deb --field "$pinned" Version)
    sha256=$(sha256sum "$pinned" | cut -d ' ' -f 1)
}

if [ -n "$given" ] && [ -z "$version" ]; then
    case $given in
        *-*) suite_has "$package=$given" || refuse "$suite has no $package in version $given; mirrors forget old ones"; newest "$given" ;;
        *)
            suite_has "$package" ||
                refuse "$suite has no $package; testbed/kernel/series.txt has$(awk '!/^#/ { printf "%s %s (%s)", sep, $1, $2; sep = "," }' "$here/series.txt")"
            newest
            ;;
    esac
elif suite_has "$package=$version"; then
    is_pinned "$pinned" || refuse "$pinned is not the file that testbed/kernel/source.txt names"
else
    # Mirrors forget versions. A newer one of the same series is as good, and apt has checked whose it is.
    suite_has "$package" || refuse "the mirror has no $package in $suite"
    newest
    echo "note: $suite no longer has the version of testbed/kernel/source.txt; taking $version" >&2
fi
echo "$pinned $version $sha256"
