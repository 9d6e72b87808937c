#!/bin/bash
# try.sh PACKAGE.deb - install a Debian package of ours on a bare Debian of this machine's release, use it as an ordinary user,
# and remove it again. Needs root. The system is a directory, and is deleted afterwards.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)

[ $# -eq 1 ] || { echo "error: try.sh PACKAGE.deb: one package" >&2; exit 2; }
[ -f "$1" ] || { echo "error: there is no $1" >&2; exit 2; }
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")

root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null; rm -rf --one-file-system "$root"' EXIT
"$here/bare-debian.sh" "$suite" "$root"
mount -t proc proc "$root/proc"
cp "$1" "$root/tmp/windlull.deb"

inside() { # inside COMMAND...: as root
    chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
user() { # user COMMAND...: as a user who owns nothing but a home
    chroot --userspec=1000:1000 "$root" env -i HOME=/home/user PATH=/usr/bin:/bin LC_ALL=C.UTF-8 \
        sh -c 'cd && exec "$@"' sh "$@"
}

inside apt-get update --quiet --quiet
inside apt-get install --yes --quiet --quiet --no-install-recommends /tmp/windlull.deb >"$root/tmp/log" 2>&1 || {
    cat "$root/tmp/log" >&2
    echo "error: the package cannot be installed" >&2
    exit 1
}
inside useradd --uid 1000 --create-home user
user windlull --version
user windlull run first-look --out first-look
user test -s first-look/report.html || { echo "error: the run wrote no report" >&2; exit 1; }
inside apt-get purge --yes --quiet --quiet windlull >/dev/null 2>&1
if [ -e "$root/usr/lib/windlull" ] || [ -e "$root/usr/bin/windlull" ]; then
    find "$root/usr/lib/windlull" | head >&2
    echo "error: the package leaves files behind when it is removed" >&2
    exit 1
fi
echo "installed on a bare Debian $suite, run as an ordinary user, removed without a rest"
