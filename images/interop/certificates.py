"""A certificate for the names by which an interop endpoint's client asks for its server, like the interop runner's.

certificates.py DIRECTORY writes cert.pem and priv.key, which the server shows, and ca.pem, by which a client knows it.
"""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

NAMES = ("server", "server4", "server6", "server46")
LASTS = timedelta(days=3650)


def main() -> None:
    """Make both anew."""
    directory = Path(sys.argv[1])
    authority, own = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
    issuer = named("Windlull, for interop endpoints")
    root = (
        begun(issuer, issuer, authority)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(authority, hashes.SHA256())
    )
    leaf = (
        begun(named("server"), issuer, own)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in NAMES]), critical=False)
        .sign(authority, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (directory / "ca.pem").write_bytes(root.public_bytes(pem))
    (directory / "cert.pem").write_bytes(leaf.public_bytes(pem))
    (directory / "priv.key").write_bytes(
        own.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def named(organization: str) -> x509.Name:
    """Return a name of a certificate."""
    return x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization)])


def begun(subject: x509.Name, issuer: x509.Name, key: rsa.RSAPrivateKey) -> x509.CertificateBuilder:
    """Return what both certificates have in common."""
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + LASTS)
    )


main()
