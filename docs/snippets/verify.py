# Ask for a decision before acting, and verify its signature.  pip install cryptography rfc8785
# Exit codes: 0 the agent may act (allow, warn), 1 the decision is against it, 2 there is no valid decision.
import base64, datetime, hashlib, json, re, secrets, sys, urllib.error, urllib.parse, urllib.request

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

BRAND = "svc"  # the first word of the service's record kinds
CANONICAL = [
    "sha256 is taken over the RFC 8785 canonical JSON of every member except sha256 and signature",
    "sha256 is taken over the canonical JSON of every field except sha256 and signature",
    "sha256 over the RFC 8785 form of every member except sha256 and signature",
]
DIRECTORY = r"https?://[A-Za-z0-9[][\w.~:/[\]%-]*/\.well-known/http-message-signatures-directory"


def check(condition, problem):
    if not condition:
        print(f"refused: {problem}", file=sys.stderr)
        sys.exit(2)


def call(address, body=None):
    body = json.dumps(body).encode() if body else None
    request = urllib.request.Request(address, body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:
            return json.loads(reply.read(4_000_000))
    except urllib.error.HTTPError as error:
        reason = re.search(r'"error"\s*:\s*("(?:[^"\\]|\\.)*")', error.read(100_000).decode(errors="replace"))
        reason = json.loads(reason[1]) if reason else "the reply gives no reason"
        check(False, f"the service answered with status {error.code}: {reason}")
    except Exception as error:
        check(False, f"no usable reply from {address}: {error}")


def address_in_receipt(url):
    """The URL as the receipt states it: without port, query and fragment. Give it without `..` in the path."""
    parts = urllib.parse.urlsplit(url if "://" in url else f"https://{url}")
    path = urllib.parse.quote(parts.path or "/", safe="/%!$&'()*+,;=:@[]^|~")
    return f"{parts.scheme}://{parts.hostname.encode('idna').decode()}{path}"


def verify(receipt, keys, url, action, nonce):
    signature = receipt.pop("signature")
    stated_digest = receipt.pop("sha256")
    digest = hashlib.sha256(rfc8785.dumps(receipt)).hexdigest()
    check(digest == stated_digest, "the digest does not match")
    key = next((key for key in keys if key["kid"] == signature["kid"]), None)
    check(key and key[f"{BRAND}_purpose"] == "decisions", "the signing key is not published for decisions")
    message = f"{BRAND}-data-v1\n{digest}"
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": key["x"]}
    published_in, canonical = str(signature["key"].get("published_in")), signature.get("canonical")
    # The signature does not cover its own block: each member has the one value it can have.
    block = {"v": 1, "alg": "Ed25519", "kid": key["kid"], "over": "sha256", "message": message,
             "sig": signature["sig"], "signed_at": signature["signed_at"], "canonical": canonical,
             "key": {"kid": key["kid"], "jwk": jwk, "published_in": published_in}}
    good = canonical in CANONICAL and re.fullmatch(DIRECTORY, published_in, re.ASCII)
    check(good and rfc8785.dumps(signature) == rfc8785.dumps(block), "the signature has a wrong or unknown member")
    decode = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    public = Ed25519PublicKey.from_public_bytes(decode(key["x"]))
    try:
        public.verify(decode(signature["sig"]), message.encode())
    except Exception:
        check(False, "the signature is not valid")
    # A proxy cannot change a receipt, but it could ask for another URL or action with our nonce.
    stated = [receipt["kind"], receipt["nonce"], receipt["action"], receipt["subject"]["url_without_query"]]
    asked = [f"{BRAND}-decision", nonce, action, address_in_receipt(url)]
    check(stated == asked, "the receipt is for another request")
    now, minutes = datetime.datetime.now(datetime.timezone.utc), datetime.timedelta(minutes=5)
    times = [receipt["decided_at"], signature["signed_at"], receipt["expires_at"]]
    decided, signed, expires = map(datetime.datetime.fromisoformat, times)
    latest = min(decided + datetime.timedelta(days=1), now + minutes)
    check(decided - minutes <= signed <= latest, "the receipt was not signed when it was decided")
    check(expires > now, "the receipt has expired")
    texts = [receipt.get("decision"), receipt.get("why")]
    check(all(isinstance(text, str) for text in texts), "the receipt has no decision or no reason")


check(len(sys.argv) == 4, f"usage: {sys.argv[0]} SERVICE URL ACTION")
base, url, action = sys.argv[1].rstrip("/"), sys.argv[2], sys.argv[3]
check(re.match("https?://", base), f"SERVICE must start with http:// or https://, not {base!r}")
nonce = secrets.token_hex(16)
receipt = call(f"{base}/api/v1/preflight", {"url": url, "action": action, "nonce": nonce})
directory = call(f"{base}/.well-known/http-message-signatures-directory")
try:
    verify(receipt, directory["keys"], url, action, nonce)
except Exception as error:
    check(False, f"the reply is not a receipt: {error!r}")
print(receipt["decision"], "until", receipt["expires_at"])
print(receipt["why"])
sys.exit(0 if receipt["decision"] in ("allow", "warn") else 1)
