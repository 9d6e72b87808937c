#!/bin/bash
# build.sh DIRECTORY - a Debian package for this machine's release and processor in DIRECTORY, of the wheel in dist/ that is
# of this version and processor.
#
# Its version, its changelog and its maintainer are the commit's. The libraries come from the index that pip uses.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ $# -eq 1 ] || { echo "error: build.sh DIRECTORY" >&2; exit 2; }
out=$1

refuse() {
    echo "error: $1" >&2
    exit 1
}

version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' controller/windlull/__init__.py)
shopt -s nullglob
wheels=(dist/windlull-"$version"-py3-none-*_"$(uname -m)".whl)
[ ${#wheels[@]} -eq 1 ] || refuse "dist/ has ${#wheels[@]} wheels of $version for $(uname -m), and one is packaged: make wheel"
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "$ID$VERSION_ID ${VERSION_CODENAME:-unstable}")
epoch=$(git log -1 --format=%ct)
# A package of a release is newer than all that were built of commits before it.
git describe --exact-match --match "v$version" >/dev/null 2>&1 \
    || version+="~git$(TZ=UTC git log -1 --date=format-local:%Y%m%d%H%M%S --format=%cd).$(git rev-parse --short=12 HEAD)"
version+=+${release% *}
maintainer=$(git log -1 --format='%an <%ae>')

stage=$out/windlull
rm -rf "$stage"
mkdir -p "$stage"
cp -r packaging/debian "$stage/debian"
cp "${wheels[0]}" CHANGELOG.md "$stage"
python3 scripts/runtime_requirements.py controller >"$stage/requirements.txt"
sed -i "s|@MAINTAINER@|$maintainer|" "$stage/debian/control"
cat >"$stage/debian/changelog" <<END
windlull ($version) ${release#* }; urgency=medium

  * Built of commit $(git rev-parse HEAD). CHANGELOG.md says what is new.

 -- $maintainer  $(LC_ALL=C TZ=UTC date --rfc-email --date="@$epoch")
END
chmod -R u=rwX,go=rX "$stage"
(
    umask 022
    cd "$stage"
    SOURCE_DATE_EPOCH=$epoch dpkg-buildpackage --build=binary --unsigned-source --unsigned-changes >../windlull.log 2>&1
) || {
    tail -n 30 "$out/windlull.log" >&2
    refuse "dpkg-buildpackage failed; all of it is in $out/windlull.log"
}
unzip -q -o -j "${wheels[0]}" '*.dist-info/sboms/*' -d "$out"
echo "$out/windlull_${version}_$(dpkg --print-architecture).deb"
