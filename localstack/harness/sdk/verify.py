"""Verifies a callback with the vendor's Python SDK: the signature is an argument, the body the input."""

import os
import sys

from sumup.events import verify_event_signature

verify_event_signature(os.environ["SECRET"], sys.stdin.buffer.read(), sys.argv[1])
