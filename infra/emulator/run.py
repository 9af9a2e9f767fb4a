"""Runs the emulator until standard input closes.

Whoever started it holds the other end, which the kernel closes with it: so
the emulator, and the functions it has started, end with the check however
that ends. It must lead a process group of its own.
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
