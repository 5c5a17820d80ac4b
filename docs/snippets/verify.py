# Ask for a decision before acting, and verify its signature.  pip install cryptography rfc8785
import base64, datetime, hashlib, json, secrets, sys, urllib.request

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def call(address, body=None):
    body = json.dumps(body).encode() if body else None
    request = urllib.request.Request(address, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as reply:
        return json.load(reply)


def check(condition, problem):
    if not condition:
        sys.exit(f"refused: {problem}")


base, url, action = sys.argv[1:]
nonce = secrets.token_hex(16)
receipt = call(f"{base}/api/v1/preflight", {"url": url, "action": action, "nonce": nonce})
keys = call(f"{base}/.well-known/http-message-signatures-directory")["keys"]

signature = receipt.pop("signature")
stated_digest = receipt.pop("sha256")
digest = hashlib.sha256(rfc8785.dumps(receipt)).hexdigest()
check(digest == stated_digest, "the digest does not match")
key = next((key for key in keys if key["kid"] == signature["kid"]), None)
check(key and key["svc_purpose"] == "decisions", "the signing key is not published for decisions")
decode = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
public = Ed25519PublicKey.from_public_bytes(decode(key["x"]))
try:
    public.verify(decode(signature["sig"]), f"svc-data-v1\n{digest}".encode())
except Exception:
    check(False, "the signature is not valid")
check(receipt["kind"] == "svc-decision" and receipt["nonce"] == nonce, "the receipt is for another request")
expires = datetime.datetime.fromisoformat(receipt["expires_at"])
check(expires > datetime.datetime.now(datetime.timezone.utc), "the receipt has expired")

print(receipt["decision"], "until", receipt["expires_at"])
print(receipt["why"])
