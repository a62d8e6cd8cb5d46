# SPDX-License-Identifier: Apache-2.0
"""A supervisor that wants to know everything of its child: what it hears, as JSON. It waits for stops, too, and counts
signals. With a terminal, the child has one that controls it. One that follows stops when its child stops, as su(1) does.

usage: nosy.py child|terminal|follow COMMAND..."""
import fcntl
import json
import os
import pty
import signal
import sys
import termios
import threading

CODES = {os.CLD_EXITED: "exited", os.CLD_KILLED: "killed", os.CLD_DUMPED: "dumped", os.CLD_STOPPED: "stopped",
         os.CLD_CONTINUED: "continued"}


def begin(argv, terminal):
    """In the child."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.setsid()
    if terminal is not None:
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    for fd in 1, 2:
        os.dup2(os.open(os.devnull, os.O_WRONLY), fd)
    os.execv(argv[0], argv)


def word(status):
    if os.WIFSTOPPED(status):
        return "stopped"
    return "continued" if os.WIFCONTINUED(status) else f"status {os.waitstatus_to_exitcode(status)}"


def main():
    signals, waited, over = [], [], threading.Event()
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    terminal = pty.openpty()[1] if sys.argv[1] == "terminal" else None
    pid = os.fork()
    if pid == 0:
        begin(sys.argv[2:], terminal)

    def hear():
        # One that is still pending takes the place of the next, also of the last.
        while True:
            was_over = over.is_set()
            info = signal.sigtimedwait([signal.SIGCHLD], 0.05)
            if not info and was_over:
                break
            # After a stop, Python returns what the kernel never wrote.
            if info and info.si_code in CODES:
                signals.append(CODES[info.si_code])
    listener = threading.Thread(target=hear)
    listener.start()
    while not waited or not waited[-1].startswith("status"):
        waited.append(word(os.waitpid(pid, os.WUNTRACED | os.WCONTINUED)[1]))
        if waited[-1] == "stopped" and sys.argv[1] == "follow":
            os.kill(os.getpid(), signal.SIGSTOP)
            os.kill(pid, signal.SIGCONT)
    over.set()
    listener.join()
    print(json.dumps({"pid": pid, "waited": waited, "signals": signals}))


main()
