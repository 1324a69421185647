"""Certificates of a throw-away authority, for recorded https pages behind a proxy.

They keep the rules of RFC 5280 that clients may insist on, as Python does since 3.13. Hosts stand in them as
they are written: the Web has names that are none by the rules (``my_shop.example``).
"""

from __future__ import annotations

import ssl
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_BEGINS, _ENDS = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
"""For as long as any record may be played back; the authority's key lives no longer than its process."""
_MAX_LABEL_CHARS = 63
"""RFC 1035, 2.3.4."""


class Authority:
    """Signs certificates for any host."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "bizcrawl")])
        self._key_id = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        certificate = self._signed(
            self._name,
            self._key,
            (x509.BasicConstraints(ca=True, path_length=0), True),
            (_usage(signs_certificates=True), True),
            (self._key_id, False),
        )
        self.pem = certificate.public_bytes(Encoding.PEM)
        """The certificate that clients must trust."""

    def context(self, host: str) -> ssl.SSLContext:
        """TLS in the name of a host or IP address. Raises `ValueError` for what can be neither."""
        if not host or max(map(len, host.split("."))) > _MAX_LABEL_CHARS:
            raise ValueError(f"no host can have the name {host!r}")
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._signed(
            x509.Name([]),
            key,
            (x509.SubjectAlternativeName([_general_name(host)]), True),
            (x509.BasicConstraints(ca=False, path_length=None), True),
            (_usage(signs_certificates=False), True),
            (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False),
            (x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(self._key_id), False),
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        with TemporaryDirectory(prefix="bizcrawl-") as folder:  # it can be read from a file alone
            file = Path(folder) / "host.pem"
            file.write_bytes(private + certificate.public_bytes(Encoding.PEM))
            context.load_cert_chain(file)
        return context

    def _signed(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        *extensions: tuple[x509.ExtensionType, bool],
    ) -> x509.Certificate:
        """A certificate for a key, with extensions and whether each is critical."""
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(_BEGINS)
            .not_valid_after(_ENDS)
        )
        for extension, is_critical in extensions:
            builder = builder.add_extension(extension, is_critical)
        return builder.sign(self._key, SHA256())


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
