"""What went wrong with a request, in our words: each of the HTTP client's many exceptions under one named
reason.
"""

from __future__ import annotations

import ssl

import aiohttp
from aiohttp import http_exceptions

from bizcrawl.netguard import ForbiddenAddressError
from bizcrawl.reasons import Reason
from bizcrawl.web.codings import BombError, DecodingError


def failure_of(error: BaseException) -> tuple[Reason, str]:
    """The reason and a line of detail for whatever a request raised."""
    for cause in _causes(error):
        if isinstance(cause, ForbiddenAddressError):
            return cause.reason, cause.detail
        if isinstance(cause, BombError):
            return Reason.BOMB, str(cause)
        if isinstance(cause, DecodingError):
            return Reason.BAD_ENCODING, str(cause)
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Reason.TLS, getattr(cause, "verify_message", "") or _line(cause)
        if isinstance(cause, ssl.SSLError | aiohttp.ClientSSLError | aiohttp.ServerFingerprintMismatch):
            return Reason.TLS, _line(cause)
    return _by_type(error), _line(error)


def _by_type(error: BaseException) -> Reason:
    match error:
        case aiohttp.ClientConnectorDNSError():
            return Reason.DNS
        case TimeoutError():
            return Reason.TIMEOUT
        case aiohttp.InvalidURL():
            return Reason.BAD_URL
        case aiohttp.ClientProxyConnectionError() | aiohttp.ClientHttpProxyError():
            return Reason.CONNECTION
        case aiohttp.ClientPayloadError() | http_exceptions.PayloadEncodingError():
            return Reason.BAD_FRAMING
        case aiohttp.ClientResponseError() | http_exceptions.HttpProcessingError():
            return Reason.BAD_HEADERS
    return Reason.CONNECTION


def _causes(error: BaseException) -> list[BaseException]:
    """The exception and all that stand behind it."""
    found: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in found and len(found) < 8:
        found.append(following)
        inner = getattr(following, "os_error", None) or getattr(following, "certificate_error", None)
        following = inner or following.__cause__ or following.__context__
    return found


def _line(error: BaseException) -> str:
    said = str(error)
    if isinstance(error, aiohttp.ClientResponseError) and error.message:
        said = error.message  # its status is the client's own, and no server's
    text = " ".join(said.split()) or type(error).__name__
    return text[:300]
