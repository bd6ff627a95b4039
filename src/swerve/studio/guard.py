"""Who may speak with the studio, how much at once, and how often."""

from __future__ import annotations

import ipaddress
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from swerve.core.errors import BadInput

MOST_BYTES = 256 * 1024  # of one message
RATE, BURST = 150.0, 300.0  # messages a second, and at once
COOKIE = "swerve-studio"


def is_loopback(host: str) -> bool:
    """
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True)
class Guard:
    """`host` is what the server listens at; `token` is asked of everybody unless it is None."""

    host: str
    token: str | None

    @classmethod
    def of(cls, host: str) -> Guard:
        """No token where only this machine can connect, else a fresh one."""
        if not host.strip():
            raise BadInput("--host", host, "must be an address; 0.0.0.0 stands for all")
        return cls(host, None if is_loopback(host) else secrets.token_urlsafe(24))

    def refuses(
        self, headers: Mapping[str, str], query: Mapping[str, str], cookies: Mapping[str, str]
    ) -> str:
        """Why a request is refused, '' if it is not."""
        given = headers.get("host", "")
        name = urlsplit(f"//{given}").hostname or ""
        if self.token is None and not is_loopback(name):
            return "this studio answers to this machine only"  # a foreign name that leads here
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != given:
            return "this page is not the studio's own"
        if self.token is not None:
            known = (query.get("token", ""), cookies.get(COOKIE, ""))
            if not any(secrets.compare_digest(one.encode(), self.token.encode()) for one in known):
                return "the access token is missing or wrong"
        return ""


class Bucket:
    """Lets `RATE` messages a second through, `BURST` at once."""

    def __init__(self, clock: float | None = None):
        self.level, self.last = BURST, time.monotonic() if clock is None else clock

    def takes(self, clock: float | None = None) -> bool:
        """Whether one more may pass now.

        >>> bucket = Bucket(0.0)
        >>> sum(bucket.takes(0.0) for _ in range(1000)), bucket.takes(1.0)
        (300, True)
        """
        now = time.monotonic() if clock is None else clock
        self.level = min(BURST, self.level + RATE * (now - self.last))
        self.last = now
        if self.level < 1.0:
            return False
        self.level -= 1.0
        return True
