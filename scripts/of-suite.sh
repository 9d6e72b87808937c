#!/bin/bash
# of-suite.sh DIRECTORY SUITE PACKAGE[:ARCHITECTURE][=VERSION]... - Debian packages of that suite into DIRECTORY, signatures
# verified.
#
# Whatever the release of this machine: apt is given a configuration and a state of its own in DIRECTORY, so that no list,
# no pin and no package of the machine changes, and an ordinary user may do it. The mirror, the proxy and the keys are the
# machine's own; DEBIAN_MIRROR overrides the mirror. Exit code 3 if the suite does not have a package in that version.
set -euo pipefail

[ $# -ge 3 ] || { echo "error: of-suite.sh DIRECTORY SUITE PACKAGE..." >&2; exit 2; }
target=$1 suite=$2
shift 2

refuse() {
    echo "error: $1" >&2
    exit 1
}

mkdir -p "$target"
directory=$(cd "$target" && pwd)
command -v apt-get >/dev/null || refuse "${1%%=*} is taken from Debian's packages, and this machine has no apt-get"
[ "${directory#* }" = "$directory" ] || refuse "apt cannot work in a directory with a space in its name: $directory"
# shellcheck disable=SC2016 # apt's variables
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -m 1 '/debian/$' || true)}
[ -n "$mirror" ] || refuse "none of apt's sources is a Debian mirror; name one: DEBIAN_MIRROR=<address>"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f "$keys" ] || refuse "Debian's keys are missing ($keys); they are in the package debian-archive-keyring"

apt=$directory/apt
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt"/{none,state/lists/partial,cache/archives/partial}
echo "deb [signed-by=$keys] $mirror $suite main" >"$apt/sources.list"
# The lists of another architecture are fetched where a package of it is asked for.
architectures=$(printf '%s\n' "$(dpkg --print-architecture)" "$@" | sed -n '1s/.*/"&";/p; s/^[^:=]*:\([a-z0-9]*\).*/"\1";/p' | sort -u)
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
APT::Architectures { $architectures };
Acquire::Languages "none";
END
} >"$apt/apt.conf"
export APT_CONFIG=$apt/apt.conf

apt-get update --quiet --quiet --error-on=any >&2 || refuse "apt-get update failed for $suite at $mirror"
cd "$directory"
apt-get download --quiet --quiet "$@" >&2 2>/dev/null || exit 3
