"""Serve the API until interrupted: `CIVO_TOKEN=... python -m civo_api`."""

import os
from contextlib import suppress
from threading import Event

import click

from civo_api import Account, CivoAPIServer, Pace

# Slow enough to be watched, fast enough to wait for.
_PACE = Pace(build=20, boot=10, scale=10, delete=5)

with CivoAPIServer(os.environ["CIVO_TOKEN"], Account(_PACE)) as server:
    click.echo(f"CIVO_API_URL={server.url}")
    with suppress(KeyboardInterrupt):
        Event().wait()
