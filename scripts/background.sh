#!/bin/bash
# background.sh run COMMAND [ARGUMENT]... - run a command and all that it starts on the processors' time that nobody else wants.
# background.sh hold-back - give all that runs so a tenth of one processor; background.sh let-go ends that.
#
# A control group, by the name in BACKGROUND, holds whatever the command starts, and gives way to everything outside it. `nice`
# alone does not: where the kernel shares time between sessions first, it counts inside one session, and browsers and workers
# begin sessions of their own; as root, Chromium even raises its own priority. Where no control group can be made, one session
# and `nice` must do.
#
# Idle or not, a busy virtual machine may be stopped by its host for tens of milliseconds when it uses more than its share. A run
# in real time that was spoilt by it is made again with the rest held back.
set -uo pipefail

top=/sys/fs/cgroup
[ -e $top/cgroup.controllers ] || top=$top/cpu
group=$top/${BACKGROUND:-windlull-background}

# The tenth of a processor, or "max", in the file that this version of control groups has for it.
limit() {
    if [ -e "$group/cpu.max" ]; then
        echo "$1 100000" >"$group/cpu.max"
    elif [ -e "$group/cpu.cfs_quota_us" ]; then
        echo "${1/max/-1}" >"$group/cpu.cfs_quota_us"
    fi
}

make_group() {
    [ $top != /sys/fs/cgroup ] || grep -qw cpu $top/cgroup.subtree_control || echo +cpu >$top/cgroup.subtree_control || return
    mkdir -p "$group" && echo 1 >"$group/cpu.idle"
}

run() {
    if make_group 2>/dev/null && (echo "$BASHPID" >"$group/cgroup.procs") 2>/dev/null; then
        (echo "$BASHPID" >"$group/cgroup.procs" && exec "$@")
        local code=$?
        rmdir "$group" 2>/dev/null || echo "note: these were left running in the background: $(tr '\n' ' ' <"$group/cgroup.procs")" >&2
        return $code
    fi
    rmdir "$group" 2>/dev/null || true
    setsid --wait bash -c '
        { echo 19 >/proc/self/autogroup; } 2>/dev/null || true
        exec nice -n 19 "$@"' background "$@"
}

case ${1-} in
    run) run "${@:2}" ;;
    hold-back) limit 10000 ;;
    let-go) limit max ;;
    *) sed -n '2,3s/^# //p' "$0" >&2; exit 2 ;;
esac
