#!/bin/bash
# bare-debian.sh SUITE DIRECTORY - Debian's smallest system (debootstrap's minbase) in DIRECTORY, which is empty or not there yet.
#
# The mirror is the machine's own, or DEBIAN_MIRROR; the keys are Debian's. What this machine trusts beyond Debian's
# authorities (a proxy's, say) is trusted there too. It starts no services. Needs root.
set -euo pipefail

[ $# -eq 2 ] || { echo "error: bare-debian.sh SUITE DIRECTORY" >&2; exit 2; }
suite=$1 root=$2

refuse() {
    echo "error: $1" >&2
    exit 1
}

[ "$(id -u)" -eq 0 ] || refuse "debootstrap must be root's: use sudo"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f "$keys" ] || refuse "Debian's keys are missing ($keys); they are in the package debian-archive-keyring"
"$(dirname "$0")/packages.sh" debootstrap=debootstrap

mirrors() { apt-get indextargets --format "\$($1)" 'Created-By: Packages' 2>/dev/null | sort -u; }
mirror=${DEBIAN_MIRROR:-$(mirrors REPO_URI | grep -m 1 '/debian/$' || true)}
[ -n "$mirror" ] || refuse "none of apt's sources is a Debian mirror; name one: DEBIAN_MIRROR=<address>"
security=$(mirrors REPO_URI | grep -m 1 '/debian-security/$' || true)

# Packages without translations and manuals, and not flushed one by one: as in Debian's own slim image.
mkdir -p "$root/etc/dpkg/dpkg.cfg.d"
chmod 0755 "$root"
cat >"$root/etc/dpkg/dpkg.cfg.d/slim" <<'END'
path-exclude /usr/share/doc/*
path-include /usr/share/doc/*/copyright
path-exclude /usr/share/man/*
path-exclude /usr/share/locale/*
path-exclude /usr/share/info/*
force-unsafe-io
END
debootstrap --variant=minbase --keyring="$keys" --include=ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
    tail -n 20 "$root.log" >&2
    refuse "debootstrap failed"
}
rm -f "$root.log"
{
    echo "deb [signed-by=$keys] $mirror $suite main"
    echo "deb [signed-by=$keys] $mirror $suite-updates main"
    [ -z "$security" ] || echo "deb [signed-by=$keys] $security $suite-security main"
} >"$root/etc/apt/sources.list"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 0755 "$root/usr/sbin/policy-rc.d"
if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
    cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"
    chroot "$root" update-ca-certificates >/dev/null 2>&1
fi
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/var/log/*
