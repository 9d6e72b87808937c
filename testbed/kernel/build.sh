#!/bin/bash
# build.sh DIRECTORY - builds DIRECTORY/linux, a User-Mode-Linux kernel with all that the testbed needs.
#
# An ordinary user suffices. Nothing is done when DIRECTORY holds the kernel of these very files. About four minutes on two
# idle cores, and 3 GB of disk while it builds; 160 MB stay (the source package, so that the next build needs no network).
set -euo pipefail
# The options of our own make are not the kernel's.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
directory=$(cd "$1" && pwd)

# What the kernel is made of. Compilers are not: a kernel works as well when the machine gets a new one.
recipe=$(cd "$here" && sha256sum source.txt windlull.config patches/*.patch | sha256sum | cut -d ' ' -f 1)

exec 9>"$directory/lock"
flock 9
if [ -x "$directory/linux" ] && grep -qx "recipe $recipe" "$directory/record" 2>/dev/null; then
    exit 0
fi

"$here/../../scripts/packages.sh" gcc=gcc make=make flex=flex bison=bison bc=bc xz=xz-utils patch=patch
tree=$directory/tree
rm -rf "$tree"
mkdir "$tree"
if [ -n "${LINUX_SOURCE:-}" ]; then
    version="of LINUX_SOURCE" sha256=$(sha256sum "$LINUX_SOURCE" | cut -d ' ' -f 1)
    tar --extract --file "$LINUX_SOURCE" --directory "$tree" --strip-components 1
else
    source=$("$here/fetch.sh" "$directory")
    read -r package version sha256 <<<"$source"
    echo "Unpacking Linux $version"
    dpkg-deb --fsys-tarfile "$package" | tar --extract --to-stdout --wildcards './usr/src/linux-source-*.tar.xz' |
        tar --extract --xz --directory "$tree" --strip-components 1
fi

cd "$tree"
for change in "$here"/patches/*.patch; do
    patch --quiet --strip 1 <"$change"
done
quietly() {
    "$@" >>"$directory/build.log" 2>&1 || {
        tail -n 20 "$directory/build.log" >&2
        echo "error: '$*' failed; all of it is in $directory/build.log" >&2
        exit 1
    }
}
: >"$directory/build.log"
quietly make ARCH=um tinyconfig
quietly scripts/kconfig/merge_config.sh -m .config "$here/windlull.config"
quietly make ARCH=um olddefconfig

# Kconfig drops what it cannot have without a word.
grep '^CONFIG_' "$here/windlull.config" | while IFS= read -r wanted; do
    case $wanted in
        *=n) ! grep -q "^${wanted%=n}=" .config ;;
        *) grep -qx "$wanted" .config ;;
    esac || {
        echo "error: testbed/kernel/windlull.config asks for $wanted, which this kernel does not give" >&2
        exit 1
    }
done

echo "Building Linux $version for user mode; some minutes"
quietly nice -n 10 make -j "$(nproc)" ARCH=um linux
strip --strip-debug -o "$directory/linux.new" linux
cp .config "$directory/config"
{
    echo "recipe $recipe"
    echo "source $version $sha256"
    echo "release $(make -s ARCH=um kernelrelease)"
    echo "compiler $(gcc -dumpfullversion)"
} >"$directory/record"
mv "$directory/linux.new" "$directory/linux"
cd "$directory"
rm -rf "$tree"
echo "$directory/linux"
