#!/bin/bash
# fetch.sh DIRECTORY - Debian's kernel source package into DIRECTORY, signatures verified; prints FILE VERSION SHA256.
#
# The package comes from the suite that source.txt names, whatever the release of this machine. So apt is given a
# configuration and a state of its own in DIRECTORY: no list, no pin and no package of the machine changes, and an ordinary
# user may do it. The mirror, the proxy and the keys are the machine's own; DEBIAN_MIRROR overrides the mirror.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
directory=$(cd "$1" && pwd)
read -r package version suite sha256 < <(grep -v '^#' "$here/source.txt")

refuse() {
    echo "error: $1" >&2
    exit 1
}

is_pinned() { # is_pinned FILE: is it the very file that source.txt names?
    [ -f "$1" ] && echo "$sha256  $1" | sha256sum --check --status
}

pinned=$directory/${package}_${version}_all.deb
if is_pinned "$pinned"; then
    echo "$pinned $version $sha256"
    exit 0
fi

command -v apt-get >/dev/null || refuse "the kernel's source is a Debian package, and this machine has no apt-get; give its tar file: LINUX_SOURCE=/path/to/linux-source-6.12.tar.xz make kernel"
[ "${directory#* }" = "$directory" ] || refuse "apt cannot work in a directory with a space in its name: $directory"
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -m 1 '/debian/$' || true)}
[ -n "$mirror" ] || refuse "none of apt's sources is a Debian mirror; name one: DEBIAN_MIRROR=<address> make kernel"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f "$keys" ] || refuse "Debian's keys are missing ($keys); they are in the package debian-archive-keyring"

apt=$directory/apt
mkdir -p "$apt"/{none,state/lists/partial,cache/archives/partial}
echo "deb [signed-by=$keys] $mirror $suite main" >"$apt/sources.list"
{
    # How to reach a mirror (proxies, certificates) is the machine's business; what to fetch is ours.
    apt-config dump | grep '^Acquire::' | grep -v '^Acquire::IndexTargets' || true
    cat <<END
Dir::Etc::Parts "$apt/none";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "$apt/none";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "$apt/none";
Dir::State "$apt/state";
Dir::State::Status "/dev/null";
Dir::Cache "$apt/cache";
APT::Sandbox::User "root";
Acquire::Languages "none";
END
} >"$apt/apt.conf"
export APT_CONFIG=$apt/apt.conf

apt-get update --quiet --quiet --error-on=any >&2 || refuse "apt-get update failed for $suite at $mirror"
cd "$directory"
if apt-get download --quiet --quiet "$package=$version" >&2 2>/dev/null; then
    is_pinned "$pinned" || refuse "$pinned is not the file that testbed/kernel/source.txt names"
else
    # Mirrors forget versions. A newer one of the same series is as good, and apt has checked whose it is.
    apt-get download --quiet --quiet "$package" >&2 || refuse "$mirror has no $package in $suite"
    pinned=$(find "$directory" -maxdepth 1 -name "${package}_*_all.deb" | sort -V | tail -n 1)
    version=$(dpkg-deb --field "$pinned" Version)
    sha256=$(sha256sum "$pinned" | cut -d ' ' -f 1)
    echo "note: $suite no longer has the version of testbed/kernel/source.txt; taking $version" >&2
fi
rm -rf "$apt"
echo "$pinned $version $sha256"
