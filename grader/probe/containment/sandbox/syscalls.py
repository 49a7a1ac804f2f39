"""Seccomp: refuses system calls that no answer to an exercise needs, by groups of threats."""

from __future__ import annotations

import errno
import os
from functools import cache
from typing import Any

OTHER_PROCESSES = ("fork", "vfork", "execve", "execveat", "ptrace", "kcmp", "pidfd_open")
OTHERS_MEMORY = ("process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd")
OTHER_MACHINES = ("socket", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmmsg")
NEW_ROOMS = ("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount", "fsopen")
THE_KERNEL = (
    "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter",
    "io_uring_register", "add_key", "request_key", "keyctl", "init_module", "finit_module",
    "delete_module", "kexec_load", "reboot", "swapon", "swapoff", "open_by_handle_at",
    "name_to_handle_at", "personality", "quotactl", "acct", "syslog",
)  # fmt: skip
REFUSED = (*OTHER_PROCESSES, *OTHERS_MEMORY, *OTHER_MACHINES, *NEW_ROOMS, *THE_KERNEL)
# The number of the argument that names the process; 0 there means the calling one, and is allowed.
ABOUT_A_PROCESS = {
    "prlimit64": 0, "sched_setaffinity": 0, "sched_setattr": 0, "sched_setparam": 0,
    "sched_setscheduler": 0, "migrate_pages": 0, "move_pages": 0, "setpriority": 1,
    "ioprio_set": 1,
}  # fmt: skip
SIGNALS = ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
THREAD = 0x00010000  # CLONE_THREAD, linux/sched.h
SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG, linux/prctl.h


def can_filter() -> bool:
    """Whether libseccomp is installed. If so, the filter is made and cached.

    Raises:
        ModuleNotFoundError: pyseccomp is not; it belongs to an extra, see `grader.cli.extras`.
    """
    try:
        _filter()
    except (RuntimeError, OSError):
        return False
    return True


def refuse() -> None:
    """Load the filter: the calls fail with EPERM from now on.

    Call it in the process that runs the learner's code: it may send signals to itself only.

    Raises:
        OSError: the system takes no filter.
    """
    import pyseccomp

    filtered = _filter()
    not_this_one = pyseccomp.Arg(0, pyseccomp.NE, os.getpid())
    for name in SIGNALS:
        filtered.add_rule(pyseccomp.ERRNO(errno.EPERM), name, not_this_one)
    filtered.load()


@cache
def _filter() -> Any:
    """The filter, made where its library can still be found, and once for all probes."""
    import pyseccomp

    filtered = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    no = pyseccomp.ERRNO(errno.EPERM)
    for name in REFUSED:
        filtered.add_rule(no, name)
    for name, number in ABOUT_A_PROCESS.items():
        filtered.add_rule(no, name, pyseccomp.Arg(number, pyseccomp.NE, 0))
    # A thread is made by the same call as a process; `clone3` hides which of the two it is.
    not_a_thread = pyseccomp.Arg(0, pyseccomp.MASKED_EQ, THREAD, 0)
    filtered.add_rule(no, "clone", not_a_thread)
    filtered.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    filtered.add_rule(no, "prctl", pyseccomp.Arg(0, pyseccomp.EQ, SET_DEATH_SIGNAL))
    return filtered
