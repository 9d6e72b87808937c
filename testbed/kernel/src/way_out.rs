//! What stops a kernel that is a program, told by what it says as it begins, and the way out.

/// What a kernel says where something stops it (Linux, `arch/um/os-Linux` and `arch/x86/um`), and what to do.
const WAYS_OUT: [(&str, &str); 6] = [
    (
        "must be not mounted noexec",
        "the kernel keeps its memory in a file that it executes from: remount the directory that it names with `exec`",
    ),
    (
        "ptrace: Operation not permitted",
        "the kernel traces its processes, which is forbidden here: start the container with `--cap-add SYS_PTRACE` or with a seccomp \
         profile that lets `ptrace` pass, do not start this from strace or a debugger, and have `sysctl kernel.yama.ptrace_scope` \
         below 3",
    ),
    (
        "set fp regs failed",
        "this processor has more registers than the kernel has room for: build it anew, by this version, with `windlull kernel build`",
    ),
    (
        "Failed to choose tempdir",
        "the kernel needs a directory for its memory: have `/dev/shm`, or let TMPDIR name a directory with half a gigabyte",
    ),
    (
        "No space left on device",
        "the kernel keeps its memory in a file: make half a gigabyte of room in `/dev/shm`, or in the directory that TMPDIR names",
    ),
    (
        "Cannot allocate memory",
        "a kernel takes up to half a gigabyte: end other programs, or raise the limit of the container or of `ulimit -v`",
    ),
];

/// What to do about the last that a kernel said before it died, if that is known.
pub fn way_out(said: &str) -> Option<&'static str> {
    WAYS_OUT
        .iter()
        .find(|(words, _)| said.contains(words))
        .map(|(_, way_out)| *way_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stops_a_kernel_has_a_way_out() {
        let noexec =
            "Checking PROT_EXEC mmap in /dev/shm...Operation not permitted\n/dev/shm must be not mounted noexec";
        assert!(way_out(noexec).is_some_and(|way| way.contains("remount")));
        let traced = "Checking that ptrace can change system call numbers...ptrace: Operation not permitted";
        assert!(way_out(traced).is_some_and(|way| way.contains("SYS_PTRACE")));
        assert_eq!(way_out("Kernel panic - not syncing: VFS"), None);
    }
}
