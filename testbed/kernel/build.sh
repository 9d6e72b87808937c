#!/bin/bash
# build.sh DIRECTORY [--name NAME] [--version V] [--source PATH] [--patch FILE]... - builds DIRECTORY/NAME/linux, a
# User-Mode-Linux kernel with all that the testbed needs. `windlull kernel build` and `make kernel` call it.
#
#   --name     what the kernel is called: stock, unless it is said
#   --version  a version of Debian's source package (6.12.107-1) or a series (6.12), instead of the one of source.txt
#   --source   a tree of Linux, or a tar file of one, instead of Debian's
#   --patch    a change to the source, in order; as `git diff` and `diff -u` make them
#
# An ordinary user suffices. What was built of the same source, patches and configuration is not built again. About four
# minutes on two idle cores and 3 GB of disk; the tree stays, so that a kernel with a patch more takes half a minute.
set -euo pipefail
# The options of our own make are not the kernel's.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES

refuse() {
    echo "error: $1" >&2
    exit 2
}

here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || refuse "where is the kernel to go? build.sh DIRECTORY [--name NAME] ..."
mkdir -p "$1"
directory=$(cd "$1" && pwd)
shift
name=stock version='' source=${LINUX_SOURCE:-} changes=()
while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || refuse "$1 takes a value"
    case $1 in
        --name) name=$2 ;;
        --version) version=$2 ;;
        --source) source=$2 ;;
        --patch) [ -f "$2" ] || refuse "--patch $2: there is no such file"; changes+=("$(realpath "$2")") ;;
        *) refuse "there is no option $1; there are --name, --version, --source and --patch" ;;
    esac
    shift 2
done
[[ $name =~ ^[a-z0-9][a-z0-9-]{0,63}$ ]] || refuse "--name $name: lower-case letters, digits and hyphens make a name"
case $name in apt | built | tree) refuse "--name $name: this is another directory's; take another name" ;; esac
[ -z "$version" ] || [ -z "$source" ] || refuse "--version goes with Debian's source, --source is another; give one"
[ -z "$source" ] || [ -e "$source" ] || refuse "--source $source: there is nothing"
if [ -d "$source" ]; then
    source=$(cd "$source" && pwd)
    for part in Makefile arch/um/Makefile net/ipv4/tcp_input.c; do
        [ -f "$source/$part" ] || refuse "--source $source: no tree of Linux; it has no $part"
    done
fi

exec 9>"$directory/lock"
flock 9

# --- what the kernel is made of ---------------------------------------------------------------------------------------

hash_of() { sha256sum | cut -d ' ' -f 1; }

# The files of a tree, without what was built there or git keeps for itself.
files_of() {
    if git -C "$1" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git -C "$1" ls-files -z --cached --others --exclude-standard
    else
        (cd "$1" && find . \( -name .git -o -name '*.o' -o -name '*.cmd' \) -prune -o \( -type f -o -type l \) -print0)
    fi | LC_ALL=C sort -z
}

if [ -d "$source" ]; then
    # A link to a directory, of which Linux has some, has no sum of its own: the directory's files have theirs.
    said="tree $source" identity=$(cd "$source" && files_of . | { xargs -0 sha256sum 2>/dev/null || true; } | hash_of)
elif [ -n "$source" ]; then
    said="file $(basename "$source")" identity=$(hash_of <"$source")
else
    identity="$(grep -v '^#' "$here/source.txt") $version"
fi
# Compilers are not part of it: a kernel works as well when the machine gets a new one.
base=$({ echo "$identity"; cd "$here" && sha256sum windlull.config patches/*.patch; } | hash_of)
recipe=$({ echo "$base"; for change in "${changes[@]}"; do hash_of <"$change"; done; } | hash_of)
built=$directory/built/${recipe:0:16}

give_name() {
    ln -sfn "built/${recipe:0:16}" "$directory/$name"
    echo "$directory/$name/linux"
}

if [ -x "$built/linux" ]; then
    give_name
    exit 0
fi

# --- the tree ---------------------------------------------------------------------------------------------------------

"$here/../../scripts/packages.sh" gcc=gcc make=make flex=flex bison=bison bc=bc xz=xz-utils patch=patch
tree=$directory/tree log=$directory/build.log
: >"$log"
quietly() {
    "$@" >>"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        echo "error: '$*' failed; all of it is in $log" >&2
        exit 1
    }
}

apply() { # apply WHAT FILE: refused before anything is changed
    local told
    told=$(cd "$tree" && patch --dry-run --force --strip 1 <"$2" 2>&1) ||
        refuse "$1 does not apply to this source ($(sed -n 's/^said //p' "$tree.base")):
$(grep -v '^checking' <<<"$told" | head -n 8)"
    (cd "$tree" && patch --quiet --force --strip 1 <"$2")
}

unpack() {
    rm -rf "$tree" "$tree.base"
    mkdir -p "$tree"
    if [ -d "$source" ]; then
        echo "Copying $source"
        (cd "$source" && files_of . | tar --create --null --files-from - --ignore-failed-read 2>/dev/null) |
            tar --extract --directory "$tree"
    elif [ -n "$source" ]; then
        echo "Unpacking $source"
        tar --extract --file "$source" --directory "$tree" --strip-components 1 ||
            refuse "--source $source: no tar file of Linux"
        [ -f "$tree/arch/um/Makefile" ] || refuse "--source $source: no tree of Linux; it has no arch/um/Makefile"
    else
        fetched=$(VERSION=$version "$here/fetch.sh" "$directory")
        read -r package version sha256 <<<"$fetched"
        said="Debian $version $sha256"
        echo "Unpacking Linux $version"
        dpkg-deb --fsys-tarfile "$package" | tar --extract --to-stdout --wildcards './usr/src/linux-source-*.tar.xz' |
            tar --extract --xz --directory "$tree" --strip-components 1
    fi
    echo "said $said" >"$tree.base"
    for change in "$here"/patches/*.patch; do
        apply "testbed/kernel/patches/$(basename "$change")" "$change"
    done
    cd "$tree"
    quietly make ARCH=um mrproper
}

# A tree that something was interrupted in has lost its hash, and is unpacked anew.
if ! grep -qsx "base $base" "$tree.base"; then
    unpack
else
    said=$(sed -n 's/^said //p' "$tree.base")
    sed -i '/^base /d' "$tree.base"
fi
cd "$tree"
applied=()
restore() {
    for ((at = ${#applied[@]} - 1; at >= 0; at--)); do
        patch --quiet --force --reverse --strip 1 <"${applied[at]}"
    done
    echo "base $base" >>"$tree.base"
}
# A patch that does not apply leaves the tree as it was.
trap restore EXIT
for change in "${changes[@]}"; do
    apply "--patch $change" "$change"
    applied+=("$change")
done
trap - EXIT

# --- the kernel -------------------------------------------------------------------------------------------------------

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

echo "Building Linux ($said${changes[*]:+ with $(basename -a "${changes[@]}" | paste -sd ' ')}) for user mode; some minutes"
quietly nice -n 10 make -j "$(nproc)" ARCH=um linux
mkdir -p "$built"
cp .config "$built/config"
{
    echo "recipe $recipe"
    echo "source $said"
    for change in "${changes[@]}"; do echo "patch $(basename "$change") $(hash_of <"$change")"; done
    echo "release $(make -s ARCH=um kernelrelease)"
    echo "compiler $(gcc -dumpfullversion)"
} >"$built/record"
strip --strip-debug -o "$built/linux.new" linux
mv "$built/linux.new" "$built/linux"
restore
give_name
