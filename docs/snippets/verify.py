# Ask before acting, and believe only what is signed.  pip install cryptography rfc8785
import base64, datetime, hashlib, json, secrets, sys, urllib.request

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def call(address, body=None):
    body = json.dumps(body).encode() if body else None
    request = urllib.request.Request(address, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as reply:
        return json.load(reply)


def must(holds, otherwise):
    if not holds:
        sys.exit(f"refused: {otherwise}")


base, url, action = sys.argv[1:]
nonce = secrets.token_hex(16)
receipt = call(f"{base}/api/v1/preflight", {"url": url, "action": action, "nonce": nonce})
keys = call(f"{base}/.well-known/http-message-signatures-directory")["keys"]

signature = receipt.pop("signature")
told = receipt.pop("sha256")
digest = hashlib.sha256(rfc8785.dumps(receipt)).hexdigest()
must(digest == told, "its digest is another")
key = next((key for key in keys if key["kid"] == signature["kid"]), None)
must(key and key["svc_purpose"] == "decisions", "its key is not published for decisions")
raw = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
public = Ed25519PublicKey.from_public_bytes(raw(key["x"]))
try:
    public.verify(raw(signature["sig"]), f"svc-data-v1\n{digest}".encode())
except Exception:
    must(False, "its signature is not of that key")
must(receipt["kind"] == "svc-decision" and receipt["nonce"] == nonce, "it answers something else")
ends = datetime.datetime.fromisoformat(receipt["expires_at"])
must(ends > datetime.datetime.now(datetime.timezone.utc), "it is no longer good")

print(receipt["decision"], "until", receipt["expires_at"])
print(receipt["why"])
