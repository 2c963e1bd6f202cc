"""A small Civo API: a real HTTP server on the loopback interface, with faults on demand."""

from civo_api.account import Account, Pace
from civo_api.faults import Fault
from civo_api.server import CivoAPIServer, Request

__all__ = ["Account", "CivoAPIServer", "Fault", "Pace", "Request"]
