//! System calls that Python needs → a filter that refuses all others, and of those some arguments.
//!
//! What matters: no process is ever made (threads are), no socket but a pair of this process's own, no signal to others, nothing of
//! other processes, namespaces, mounts, keys, rings or BPF. Landlock does not look at what changes a file without opening it
//! (`chmod`, `utime`, `setxattr`), so that these do nothing; nor, on old kernels, at truncating.

use std::collections::BTreeMap;

use libc::{c_int, c_long};
use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

#[cfg(target_arch = "x86_64")]
const ARCH: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const ARCH: TargetArch = TargetArch::aarch64;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Calls that are allowed whatever their arguments are.
#[rustfmt::skip]
const ALLOWED: &[c_long] = &[
    // Files that are open, or that Landlock looks at.
    libc::SYS_read, libc::SYS_write, libc::SYS_readv, libc::SYS_writev, libc::SYS_pread64, libc::SYS_pwrite64,
    libc::SYS_preadv, libc::SYS_pwritev, libc::SYS_preadv2, libc::SYS_pwritev2, libc::SYS_lseek, libc::SYS_close,
    libc::SYS_close_range, libc::SYS_fstat, libc::SYS_newfstatat, libc::SYS_statx, libc::SYS_fstatfs,
    libc::SYS_statfs, libc::SYS_dup, libc::SYS_dup3, libc::SYS_getdents64, libc::SYS_getcwd, libc::SYS_chdir,
    libc::SYS_fchdir, libc::SYS_mkdirat, libc::SYS_unlinkat, libc::SYS_renameat, libc::SYS_renameat2, libc::SYS_linkat,
    libc::SYS_symlinkat, libc::SYS_readlinkat, libc::SYS_faccessat, libc::SYS_faccessat2, libc::SYS_ftruncate,
    libc::SYS_fallocate, libc::SYS_fsync, libc::SYS_fdatasync, libc::SYS_flock, libc::SYS_fadvise64,
    libc::SYS_copy_file_range, libc::SYS_sendfile, libc::SYS_umask,
    // Waiting.
    libc::SYS_pipe2, libc::SYS_eventfd2, libc::SYS_epoll_create1, libc::SYS_epoll_ctl, libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2, libc::SYS_ppoll, libc::SYS_pselect6, libc::SYS_futex, libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep, libc::SYS_wait4, libc::SYS_waitid, libc::SYS_restart_syscall,
    // The pair of sockets that asyncio wakes itself by.
    libc::SYS_recvfrom, libc::SYS_shutdown, libc::SYS_getsockopt, libc::SYS_getsockname, libc::SYS_getpeername,
    // Memory, threads and signals of its own.
    libc::SYS_mmap, libc::SYS_mprotect, libc::SYS_munmap, libc::SYS_mremap, libc::SYS_madvise, libc::SYS_brk,
    libc::SYS_msync, libc::SYS_mincore, libc::SYS_membarrier, libc::SYS_set_robust_list, libc::SYS_get_robust_list,
    libc::SYS_set_tid_address, libc::SYS_rseq, libc::SYS_rt_sigaction, libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn, libc::SYS_rt_sigpending, libc::SYS_rt_sigtimedwait, libc::SYS_rt_sigsuspend,
    libc::SYS_sigaltstack, libc::SYS_getitimer, libc::SYS_setitimer, libc::SYS_exit, libc::SYS_exit_group,
    // It becomes Python so; Landlock says what else it may become, and the walls stay.
    libc::SYS_execve,
    // What it may know.
    libc::SYS_getpid, libc::SYS_gettid, libc::SYS_getppid, libc::SYS_getuid, libc::SYS_geteuid, libc::SYS_getgid,
    libc::SYS_getegid, libc::SYS_getgroups, libc::SYS_getresuid, libc::SYS_getresgid, libc::SYS_getpgid,
    libc::SYS_getsid, libc::SYS_getrusage, libc::SYS_times, libc::SYS_sysinfo, libc::SYS_uname,
    libc::SYS_clock_gettime, libc::SYS_clock_getres, libc::SYS_gettimeofday, libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity, libc::SYS_sched_getparam, libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max, libc::SYS_sched_get_priority_min, libc::SYS_getpriority, libc::SYS_getcpu,
    libc::SYS_getrandom,
];

/// The same under names that only this architecture has.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const ALLOWED_HERE: &[c_long] = &[
    libc::SYS_stat, libc::SYS_lstat, libc::SYS_access, libc::SYS_readlink, libc::SYS_mkdir, libc::SYS_rmdir,
    libc::SYS_unlink, libc::SYS_rename, libc::SYS_link, libc::SYS_symlink, libc::SYS_poll, libc::SYS_select,
    libc::SYS_pipe, libc::SYS_dup2, libc::SYS_epoll_create, libc::SYS_epoll_wait, libc::SYS_eventfd,
    libc::SYS_alarm, libc::SYS_pause, libc::SYS_time, libc::SYS_getpgrp, libc::SYS_getrlimit,
];
#[cfg(target_arch = "aarch64")]
const ALLOWED_HERE: &[c_long] = &[libc::SYS_getrlimit];

/// Not in every version of the table of calls.
const FCHMODAT2: c_long = 452;

/// Calls that say they did it, and do nothing: what copies files would fail otherwise.
const DOES_NOTHING: &[c_long] = &[libc::SYS_fchmod, libc::SYS_fchmodat, FCHMODAT2, libc::SYS_utimensat];
#[cfg(target_arch = "x86_64")]
const DOES_NOTHING_HERE: &[c_long] = &[libc::SYS_chmod, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(target_arch = "aarch64")]
const DOES_NOTHING_HERE: &[c_long] = &[];

/// Calls that are told not to be there, so that what asks for them takes others, which are looked at.
const ABSENT: &[c_long] = &[libc::SYS_clone3, libc::SYS_openat2];

/// Calls that are told not to be known to the file system: what copies files goes on then.
const NOT_OF_FILES: &[c_long] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_getxattr,
    libc::SYS_lgetxattr,
    libc::SYS_fgetxattr,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_flistxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// Bits of `clone` that must not be set: whatever makes a process, a namespace, or is of another process.
const NOT_OF_THREADS: u64 = 0x7e02_00ff
    | (libc::CLONE_PTRACE | libc::CLONE_VFORK | libc::CLONE_PARENT | libc::CLONE_UNTRACED | libc::CLONE_PIDFD) as u64;

/// What may be asked of a descriptor: not who is sent a signal for it, nor how much a pipe holds.
#[rustfmt::skip]
const OF_DESCRIPTORS: &[c_int] = &[
    libc::F_DUPFD, libc::F_DUPFD_CLOEXEC, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL, libc::F_SETFL, libc::F_GETLK,
    libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_GETLK, libc::F_OFD_SETLK, libc::F_OFD_SETLKW,
];

/// What may be asked of what stands behind a descriptor.
#[rustfmt::skip]
const OF_DEVICES: &[u64] = &[
    libc::TCGETS as u64, libc::FIONREAD as u64, libc::FIONBIO as u64, libc::FIOCLEX as u64, libc::FIONCLEX as u64,
    libc::TIOCGWINSZ as u64,
];

/// What a process may ask of itself: names of threads, and of its memory (`PR_SET_VMA`).
const OF_ITSELF: &[u64] = &[libc::PR_SET_NAME as u64, libc::PR_GET_NAME as u64, 0x5356_4d41];

/// Refuses this process all calls but those that are allowed, for ever.
pub(super) fn restrict() -> Result<(), Error> {
    // Of several filters, one that refuses counts; of several that do, the last.
    answer([DOES_NOTHING, DOES_NOTHING_HERE], 0)?;
    answer([ABSENT, &[]], libc::ENOSYS)?;
    answer([NOT_OF_FILES, &[]], libc::EOPNOTSUPP)?;
    apply(allowed()?, refusal(libc::EPERM), SeccompAction::Allow)
}

/// Has calls answered with an error, 0 for none, without being made.
fn answer(calls: [&[c_long]; 2], error: c_int) -> Result<(), Error> {
    let rules = Rules::from_iter(calls.into_iter().flat_map(plain));
    apply(rules, SeccompAction::Allow, refusal(error))
}

fn refusal(error: c_int) -> SeccompAction {
    SeccompAction::Errno(error.unsigned_abs())
}

fn apply(rules: Rules, others: SeccompAction, these: SeccompAction) -> Result<(), Error> {
    let program: BpfProgram = SeccompFilter::new(rules, others, these, ARCH)?.try_into()?;
    apply_filter(&program)
}

fn plain(calls: &[c_long]) -> impl Iterator<Item = (i64, Vec<SeccompRule>)> + '_ {
    calls.iter().map(|call| (*call, Vec::new()))
}

/// Returns the calls that are allowed, with what is asked of their arguments.
fn allowed() -> Result<Rules, Error> {
    let lists = [ALLOWED, ALLOWED_HERE, DOES_NOTHING, DOES_NOTHING_HERE, ABSENT, NOT_OF_FILES];
    let mut rules = Rules::from_iter(lists.into_iter().flat_map(plain));
    let own = u64::from(std::process::id());
    rules.insert(libc::SYS_openat, opening(2)?);
    #[cfg(target_arch = "x86_64")]
    rules.extend([
        (libc::SYS_open, opening(1)?),
        (libc::SYS_creat, Vec::new()),
        // Which register holds what the threads of this process have for their own, and no other thing of the processor.
        (libc::SYS_arch_prctl, one_of(0, &[0x1002, 0x1003, 0x3001])?),
    ]);
    let thread = libc::CLONE_THREAD as u64;
    rules.insert(libc::SYS_clone, vec![rule(&[(0, SeccompCmpOp::MaskedEq(NOT_OF_THREADS | thread), thread)])?]);
    rules.insert(libc::SYS_kill, one_of(0, &[own])?);
    rules.insert(libc::SYS_tgkill, one_of(0, &[own])?);
    let of_descriptors: Vec<u64> = OF_DESCRIPTORS.iter().map(|asked| *asked as u64).collect();
    rules.insert(libc::SYS_fcntl, one_of(1, &of_descriptors)?);
    rules.insert(libc::SYS_ioctl, one_of(1, OF_DEVICES)?);
    rules.insert(libc::SYS_prctl, one_of(0, OF_ITSELF)?);
    // Limits are read, and of this process.
    let read = |pid| -> Result<SeccompRule, Error> {
        Ok(SeccompRule::new(vec![number(0, SeccompCmpOp::Eq, pid)?, address(2, 0)?])?)
    };
    rules.insert(libc::SYS_prlimit64, vec![read(0)?, read(own)?]);
    let stream = (1, SeccompCmpOp::MaskedEq(0xf), libc::SOCK_STREAM as u64);
    let pair = [(0, SeccompCmpOp::Eq, libc::AF_UNIX as u64), stream, (2, SeccompCmpOp::Eq, 0)];
    rules.insert(libc::SYS_socketpair, vec![rule(&pair)?]);
    rules.insert(libc::SYS_sendto, vec![SeccompRule::new(vec![address(4, 0)?])?]);
    Ok(rules)
}

/// Opening files, but not to read them and cut them in the same breath: old kernels let Landlock pass that.
fn opening(flags: u8) -> Result<Vec<SeccompRule>, Error> {
    let truncates = libc::O_TRUNC as u64;
    let mode = SeccompCmpOp::MaskedEq(libc::O_ACCMODE as u64);
    Ok(vec![
        rule(&[(flags, SeccompCmpOp::MaskedEq(truncates), 0)])?,
        rule(&[(flags, mode.clone(), libc::O_WRONLY as u64)])?,
        rule(&[(flags, mode, libc::O_RDWR as u64)])?,
    ])
}

/// Makes a rule of arguments: their index, a comparison, a value.
fn rule(arguments: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, Error> {
    let conditions = arguments.iter().map(|(index, operator, value)| number(*index, operator.clone(), *value));
    Ok(SeccompRule::new(conditions.collect::<Result<_, _>>()?)?)
}

/// Makes rules that an argument is one of some values.
fn one_of(index: u8, values: &[u64]) -> Result<Vec<SeccompRule>, Error> {
    values.iter().map(|value| rule(&[(index, SeccompCmpOp::Eq, *value)])).collect()
}

/// Compares an argument that is a number of 32 bits: what stands above them, the system does not see.
fn number(index: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompCondition, Error> {
    Ok(SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value)?)
}

/// Compares an argument that is an address, with all its bits.
fn address(index: u8, value: u64) -> Result<SeccompCondition, Error> {
    Ok(SeccompCondition::new(index, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, value)?)
}
