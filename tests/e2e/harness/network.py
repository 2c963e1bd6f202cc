"""A network with loopback alone, for the tests and all that they start.

Two ports of Crossplane's, for metrics and health, listen on every interface, and no option tells
them not to: so there is no other interface. And whatever would call out fails at once.
"""

import ctypes
import fcntl
import os
import socket
import struct

# Names the network that was left, for what must reach an index of packages.
OUTSIDE = "CIVOCLUSTER_E2E_NETWORK"

_CLONE_NEWNET = 0x40000000
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1


def seclude() -> bool:
    """Move to a network of our own, where the system lets us; that takes root on Linux.

    What is started from then on is in it too.

    Returns:
        Whether it did.
    """
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "unshare"):
        return False
    # Never closed: it keeps the way back open.
    left = os.open("/proc/self/ns/net", os.O_RDONLY)
    if libc.unshare(_CLONE_NEWNET) != 0:
        os.close(left)
        return False
    with socket.socket() as any_socket:
        request = struct.pack("16sh", b"lo", _IFF_UP)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, request.ljust(40, b"\0"))
    os.environ[OUTSIDE] = f"/proc/{os.getpid()}/fd/{left}"
    return True


def outside(command: list[str]) -> list[str]:
    """Return the command that runs another one in the network that was left."""
    left = os.environ.get(OUTSIDE)
    return ["nsenter", f"--net={left}", *command] if left else command
