# SPDX-License-Identifier: Apache-2.0
"""A kernel that lacks what newer ones have: for this process and its children, a filter of system calls refuses
it as an older one would."""
import ctypes
import struct

SET_NO_NEW_PRIVS, SET_SECCOMP, MODE_FILTER = 38, 22, 2  # of prctl
EINVAL, ENOSYS = 22, 38
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
LOAD, IF_EQUAL, IF_ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06  # of BPF: words of struct seccomp_data
NUMBER, SECOND_ARGUMENT = 0, 24  # where they are in there
SECCOMP, NEW_LISTENER = 317, 1 << 3
# Of amd64, with the releases that brought them.
CALLS = {"pidfd_send_signal": (424, (5, 1)), "pidfd_open": (434, (5, 3)), "clone3": (435, (5, 3)),
         "close_range": (436, (5, 9)), "openat2": (437, (5, 6)), "pidfd_getfd": (438, (5, 6)),
         "faccessat2": (439, (5, 8)), "landlock_create_ruleset": (444, (5, 13))}
PIDFD = CALLS["pidfd_open"][1]
ASKS = 5, 7  # before it lets a process start: SECCOMP_FILTER_FLAG_TSYNC_ESRCH


def _program(version):
    calls = sorted(number for number, since in CALLS.values() if version < since)
    code = [(LOAD, 0, 0, NUMBER)]
    for number in calls:
        code += [(IF_EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | ENOSYS)]
    if version < ASKS:
        code += [(IF_EQUAL, 0, 3, SECCOMP), (LOAD, 0, 0, SECOND_ARGUMENT), (IF_ANY_BIT, 0, 1, NEW_LISTENER),
                 (RETURN, 0, 0, ERRNO | EINVAL)]
    return code + [(RETURN, 0, 0, ALLOW)]


def kernel(*version):
    """For preexec_fn: this process is to have this one from now on."""
    words = b"".join(struct.pack("HBBI", *instruction) for instruction in _program(version))
    code = ctypes.create_string_buffer(words, len(words))
    program = struct.pack("HxxxxxxP", len(words) // 8, ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(SET_SECCOMP, MODE_FILTER, program, 0, 0):
        raise OSError(ctypes.get_errno(), "no filter")
