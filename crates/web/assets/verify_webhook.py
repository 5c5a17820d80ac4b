"""Verifies an event. Needs: pip install http-message-signatures"""

import json
from base64 import urlsafe_b64decode
from datetime import timedelta
from types import SimpleNamespace
from urllib.request import urlopen

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from http_message_signatures import HTTPMessageVerifier, MappingKeyResolver, algorithms

COVERED = ("@method", "@target-uri", "content-type", "content-digest", "webhook-id")


def load_keys(service):
    """The keys of the service by their id. Keep them, and load them again for an id that is not there."""
    with urlopen(f"{service}/.well-known/http-message-signatures-directory") as answer:
        keys = json.load(answer)["keys"]
    return {
        key["kid"]: Ed25519PublicKey.from_public_bytes(urlsafe_b64decode(key["x"] + "="))
        for key in keys
    }


def verify_event(url, headers, body, keys):
    """The event, or an exception. `url` is your address as it is registered here."""
    request = SimpleNamespace(method="POST", url=url, headers=headers)
    verifier = HTTPMessageVerifier(
        signature_algorithm=algorithms.ED25519,
        key_resolver=MappingKeyResolver(public_keys=keys, private_keys={}),
    )
    verifier.verify(
        request,
        body=body,
        expect_tag="webhook",
        max_age=timedelta(minutes=5),
        require_components=COVERED,
    )
    return json.loads(body)
