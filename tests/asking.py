"""With what tests ask Civo's API: the token that it knows, and limits of their own."""

from dataclasses import replace

from function.cli.session import Limits

# Nothing in it looks like a token, so that only knowing it keeps it out of sight.
TOKEN = "hush.hush-my.token"  # noqa: S105

# No wait before another attempt is to be felt, and no busy machine to be taken for a slow API.
FAST = Limits(connect=20, read=20, total=60, backoff=0.001, wait=0.002, body=1_000_000)
# For an API that is slow indeed.
IMPATIENT = replace(FAST, read=1.2, total=3)
