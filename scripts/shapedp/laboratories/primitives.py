"""What studies take of the library `cryptography`, an extra of its own: who releases alone needs none of it."""

from shapedp.base.errors import ConfigError

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF
except ModuleNotFoundError as error:
    raise ConfigError(
        "a study of several laboratories takes the library cryptography, which is not installed; install it: "
        "pip install 'cryptography>=50'"
    ) from error

__all__ = [
    "HKDF",
    "Cipher",
    "Ed25519PrivateKey",
    "Ed25519PublicKey",
    "InvalidSignature",
    "X25519PrivateKey",
    "X25519PublicKey",
    "algorithms",
    "hashes",
]
