"""With what tests ask Civo's API: the token that it knows, and limits without waits to be felt."""

from function.cli.session import Limits

# Nothing in it looks like a token, so that only knowing it keeps it out of sight.
TOKEN = "hush.hush-my.token"  # noqa: S105

FAST = Limits(connect=1, read=0.5, total=1, backoff=0.001, wait=0.002, body=1_000_000)
