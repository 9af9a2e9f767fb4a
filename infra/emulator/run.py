"""Runs the emulator until standard input closes.

The check has the other end, which the kernel closes when the check ends in
whatever way: then the emulator and the functions it has started end too. It
must lead a process group of its own.
"""

import os
import signal
import sys
import threading

from ministack.app import main


def end_with_our_parent():
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGKILL)


threading.Thread(target=end_with_our_parent, daemon=True).start()
main()
