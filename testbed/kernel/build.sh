#!/bin/bash
# build.sh DIRECTORY [--name NAME] [--version V] [--source PATH [--ref REF]] [--patch FILE]... - builds
# DIRECTORY/NAME/linux, a User-Mode-Linux kernel with all that the testbed needs. `windlull kernel` and `make kernel`
# call it.
#
#   --name     what the kernel is called: stock, unless it is said
#   --version  a version of Debian's source package (6.12.107-1) or a series (series.txt), instead of that of source.txt
#   --source   a tree of Linux, or a tar file of one, instead of Debian's
#   --ref      a commit of that tree, if git keeps it, instead of its files as they stand
#   --patch    a change to the source, in order; as `git diff` and `diff -u` make them
#
# An ordinary user suffices. What was built of the same source, patches and configuration is not built again. About four
# minutes on two idle cores and 3 GB of disk; the tree stays, so that a kernel with a patch more takes half a minute. The
# trees that git keeps share a second one, which is brought from one state to the next by the files that differ.
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
name=stock version='' source=${LINUX_SOURCE:-} ref='' state='' changes=()
while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || refuse "$1 takes a value"
    case $1 in
        --name) name=$2 ;;
        --version) version=$2 ;;
        --source) source=$2 ;;
        --ref) ref=$2 ;;
        --patch) [ -f "$2" ] || refuse "--patch $2: there is no such file"; changes+=("$(realpath "$2")") ;;
        *) refuse "there is no option $1; there are --name, --version, --source, --ref and --patch" ;;
    esac
    shift 2
done
[[ $name =~ ^[a-z0-9][a-z0-9-]{0,63}$ ]] || refuse "--name $name: lower-case letters, digits and hyphens make a name"
case $name in apt | built | git | git-tree | tree) refuse "--name $name: this is another directory's; take another name" ;; esac
[ -z "$version" ] || [ -z "$source" ] || refuse "--version goes with Debian's source, --source is another; give one"
[ -z "$source" ] || [ -e "$source" ] || refuse "--source $source: there is nothing"
if [ -d "$source" ]; then
    source=$(cd "$source" && pwd -P)
    for part in Makefile arch/um/Makefile net/ipv4/tcp_input.c; do
        [ -f "$source/$part" ] || refuse "--source $source: no tree of Linux; it has no $part"
    done
fi

[ -z "$ref" ] || [ "$(git -C "$source" rev-parse --show-toplevel 2>/dev/null)" = "$source" ] ||
    refuse "--ref $ref: --source names no tree that git keeps"

exec 9>"$directory/lock"
flock --nonblock 9 || { echo "Waiting for another build in $directory to end"; flock 9; }

# --- what the kernel is made of ---------------------------------------------------------------------------------------

hash_of() { sha256sum | cut -d ' ' -f 1; }

# The files of a tree, without what was built there.
files_of() {
    (cd "$1" && find . \( -name .git -o -name '*.o' -o -name '*.cmd' \) -prune -o \( -type f -o -type l \) -print0) |
        LC_ALL=C sort -z
}

# A repository of our own: the index of the tree that is built in, and what of a person's tree is in no commit yet.
ours() { git --git-dir="$directory/git" --work-tree="$directory/git-tree" "$@"; }

# The state of a tree that git keeps, as the name of git's tree object: of the commit `ref`, or of its files as they
# stand, those among them that are new. Nothing in the person's repository changes.
state_of() {
    if [ -n "$ref" ]; then
        git -C "$1" rev-parse --verify --quiet --end-of-options "$ref^{tree}" ||
            refuse "--ref $ref: there is no such commit in $1"
        return
    fi
    local index=$directory/git/standing
    cp --preserve=timestamps "$(git -C "$1" rev-parse --path-format=absolute --git-path index)" "$index"
    export GIT_INDEX_FILE=$index GIT_OBJECT_DIRECTORY=$directory/git/objects
    git -C "$1" add --all
    git -C "$1" write-tree
    rm "$index"
}

if [ -d "$source" ] && [ "$(git -C "$source" rev-parse --show-toplevel 2>/dev/null)" = "$source" ]; then
    [ -d "$directory/git" ] || git init --quiet --bare "$directory/git"
    GIT_ALTERNATE_OBJECT_DIRECTORIES=$(git -C "$source" rev-parse --path-format=absolute --git-path objects)
    export GIT_ALTERNATE_OBJECT_DIRECTORIES
    state=$(state_of "$source")
    said="git $source${ref:+@$(git -C "$source" rev-parse --short=12 "$ref^{commit}")}" identity="git $state"
elif [ -d "$source" ]; then
    # A link to a directory, of which Linux has some, has no sum of its own: the directory's files have theirs.
    said="tree $source" identity=$(cd "$source" && files_of . | { xargs -0 sha256sum 2>/dev/null || true; } | hash_of)
elif [ -n "$source" ]; then
    said="file $(basename "$source")" identity=$(hash_of <"$source")
else
    identity="$(grep -v '^#' "$here/source.txt") $version"
fi
# Compilers are not part of it: a kernel works as well when the machine gets a new one.
base=$({ echo "$identity"; cd "$here" && sha256sum windlull.config absent.txt patches/*/*; } | hash_of)
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
tree=$directory/${state:+git-}tree log=$directory/build.log
: >"$log"
# In a process group of its own (set -m), which ends with this script: compilers that go on would keep the lock. Who is to
# be ended is known before anything is started: a signal may come as soon as it is.
quietly() {
    trap 'kill -TERM %% 2>/dev/null; exit 143' TERM INT HUP
    set -m
    "$@" </dev/null >>"$log" 2>&1 &
    set +m
    wait "$!" || {
        tail -n 20 "$log" >&2
        echo "error: '$*' failed; all of it is in $log" >&2
        exit 1
    }
    trap - TERM INT HUP
}

try() { # try FILE TREE: would it apply?
    (cd "$2" && patch --dry-run --force --strip 1 <"$1" 2>&1)
}

apply() { # apply WHAT FILE [TREE]: refused before anything is changed
    local told
    told=$(try "$2" "${3:-$tree}") ||
        refuse "$1 does not apply to this source ($(sed -n 's/^said //p' "$tree.base")):
$(grep -v '^checking' <<<"$told" | head -n 8)"
    (cd "${3:-$tree}" && patch --quiet --force --no-backup-if-mismatch --strip 1 <"$2")
}

touched_by() { # touched_by PATCH...: the files that they name
    sed -nE 's,^(---|\+\+\+) [^/[:space:]]+/([^[:space:]]+).*,\2,p; s,^rename (from|to) ,,p' "$@" | sort -u
}

# A change of ours is a directory of patches/, with a patch for each form that the source has had, of which the first
# that applies is taken. `not-needed` names a file of the source and a text in it, by which a source needs none.
apply_ours() { # apply_ours CHANGE TREE
    local change=$1 in=$2 file text variant told=''
    if [ -f "$change/not-needed" ]; then
        read -r file text < <(grep -v '^#' "$change/not-needed")
        grep -qsF -- "$text" "$in/$file" && return
    fi
    for variant in "$change"/*.patch; do
        if told+="$(basename "$variant"): $(try "$variant" "$in")"$'\n'; then
            apply "$variant" "$variant" "$in"
            return
        fi
    done
    refuse "testbed/kernel/patches/$(basename "$change") does not apply to this source ($(sed -n 's/^said //p' "$tree.base")):
$(grep -v '^checking' <<<"$told" | head -n 8)"
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
    for change in "$here"/patches/*/; do
        apply_ours "${change%/}" "$tree"
    done
    cd "$tree"
    quietly make ARCH=um mrproper
}

release_of() { grep -E -m 2 '^(VERSION|PATCHLEVEL) =' "$tree/Makefile" 2>/dev/null || true; }

# The state with our changes and the person's, as a tree object of its own: what is the same in the end as it was before
# keeps its time, and is not compiled again.
changed() {
    local scratch=$directory/git/scratch change touched ours
    export GIT_INDEX_FILE=$directory/git/changing GIT_DIR=$directory/git GIT_WORK_TREE=$scratch
    rm -rf "$scratch"
    mkdir "$scratch"
    cd "$scratch"
    git read-tree "$state"
    for change in "$here"/patches/*/ "${changes[@]}"; do
        ours=${change%/}
        if [ -d "$ours" ]; then
            mapfile -t touched < <(touched_by "$ours"/*.patch; grep -hsoE '^[^# ]+' "$ours/not-needed")
        else
            mapfile -t touched < <(touched_by "$change")
        fi
        git ls-files -z -- "${touched[@]}" | git checkout-index --quiet -z --stdin
        if [ -d "$ours" ]; then apply_ours "$ours" "$scratch"; else apply "$change" "$change" "$scratch"; fi
        printf '%s\n' "${touched[@]}" | git update-index --add --remove --stdin
    done
    git write-tree
    cd /
    rm -rf "$scratch" "$GIT_INDEX_FILE"
}

bring() {
    local before
    mkdir -p "$tree"
    echo "said $said" >"$tree.base"
    state=$(changed)
    before=$(release_of)
    # Who had the lock may have been ended at this.
    rm -f "$directory/git/index.lock"
    ours read-tree --reset -u "$state"
    ours clean --quiet --force -d
    [ "$(release_of)" = "$before" ] || quietly make -C "$tree" ARCH=um mrproper
}

echo "Preparing the source; what is done is in $log"
# A tree that something was interrupted in has lost its hash, and is unpacked anew.
if [ -n "$state" ]; then
    bring
elif ! grep -qsx "base $base" "$tree.base"; then
    unpack
else
    said=$(sed -n 's/^said //p' "$tree.base")
    sed -i '/^base /d' "$tree.base"
fi
cd "$tree"
applied=()
restore() {
    [ -z "$state" ] || return 0
    for ((at = ${#applied[@]} - 1; at >= 0; at--)); do
        patch --quiet --force --reverse --strip 1 <"${applied[at]}"
    done
    echo "base $base" >>"$tree.base"
}
# A patch that does not apply leaves the tree as it was.
trap restore EXIT
for change in "${changes[@]}"; do
    # Of a tree that git keeps they are in the state already.
    [ -z "$state" ] || break
    apply "--patch $change" "$change"
    applied+=("$change")
done
trap - EXIT

# --- the kernel -------------------------------------------------------------------------------------------------------

quietly make ARCH=um tinyconfig
quietly scripts/kconfig/merge_config.sh -m .config "$here/windlull.config"
quietly make ARCH=um olddefconfig

# Kconfig drops what it cannot have without a word.
defines() { grep -rqE --include='Kconfig*' "^[[:space:]]*(menu)?config[[:space:]]+$1[[:space:]]*\$" .; }
absent=()
while IFS= read -r wanted; do
    case $wanted in
        *=n) ! grep -q "^${wanted%=n}=" .config ;;
        *) grep -qx "$wanted" .config ;;
    esac && continue
    option=${wanted#CONFIG_} option=${option%%=*}
    if why=$(grep -E "^${option}[[:space:]]" "$here/absent.txt") && ! defines "$option"; then
        absent+=("$option")
        echo "note: this Linux has no $option: $(sed -E 's/^[^ ]+ +//' <<<"$why")" >&2
        continue
    fi
    echo "error: testbed/kernel/windlull.config asks for $wanted, which this kernel does not give" >&2
    exit 1
done < <(grep '^CONFIG_' "$here/windlull.config")

echo "Building Linux ($said${changes[*]:+ with $(basename -a "${changes[@]}" | paste -sd ' ')}) for user mode; some minutes"
quietly nice -n 10 make -j "$(nproc)" ARCH=um linux
mkdir -p "$built"
cp .config "$built/config"
{
    echo "recipe $recipe"
    echo "source $said"
    for change in "${changes[@]}"; do echo "patch $(basename "$change") $(hash_of <"$change")"; done
    for option in "${absent[@]}"; do echo "absent $option"; done
    echo "release $(make -s ARCH=um kernelrelease)"
    echo "compiler $(gcc -dumpfullversion)"
} >"$built/record"
strip --strip-debug -o "$built/linux.new" linux
mv "$built/linux.new" "$built/linux"
restore
give_name
