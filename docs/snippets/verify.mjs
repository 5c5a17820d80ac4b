// Ask for a decision before acting, and verify its signature.  Node 20; npm install canonicalize
import { createHash, createPublicKey, randomBytes, verify } from "node:crypto";
import canonicalize from "canonicalize";

const call = async (address, body) => {
  const headers = { "content-type": "application/json" };
  const reply = await fetch(address, body && { method: "POST", headers, body: JSON.stringify(body) });
  check(reply.ok, `the service answered with status ${reply.status}`);
  return reply.json();
};

function check(condition, problem) {
  if (condition) return;
  console.error(`refused: ${problem}`);
  process.exit(1);
}

const CANONICAL = [
  "sha256 is taken over the RFC 8785 canonical JSON of every member except sha256 and signature",
  "sha256 is taken over the canonical JSON of every field except sha256 and signature",
  "sha256 over the RFC 8785 form of every member except sha256 and signature",
];
const DIRECTORY = /^https?:\/\/[A-Za-z0-9[][\w.~:/[\]%-]*\/\.well-known\/http-message-signatures-directory$/;

const [base, url, action] = process.argv.slice(2);
const nonce = randomBytes(16).toString("hex");
const receipt = await call(`${base}/api/v1/preflight`, { url, action, nonce });
const { keys } = await call(`${base}/.well-known/http-message-signatures-directory`);

const { sha256, signature, ...signed } = receipt;
const digest = createHash("sha256").update(canonicalize(signed)).digest("hex");
check(digest === sha256, "the digest does not match");
const key = keys.find((key) => key.kid === signature.kid);
check(key?.svc_purpose === "decisions", "the signing key is not published for decisions");
const jwk = { kty: "OKP", crv: "Ed25519", x: key.x };
const message = `svc-data-v1\n${digest}`;
// The signature does not cover its own block: each member has the one value it can have.
const { sig: signed_bytes, signed_at, canonical } = signature;
const published_in = String(signature.key.published_in);
const block = {
  v: 1, alg: "Ed25519", kid: key.kid, over: "sha256", message, sig: signed_bytes, signed_at, canonical,
  key: { kid: key.kid, jwk, published_in },
};
const good = CANONICAL.includes(canonical) && DIRECTORY.test(published_in);
check(good && canonicalize(signature) === canonicalize(block), "the signature has a wrong or unknown member");
const sig = Buffer.from(signed_bytes, "base64url");
check(verify(null, Buffer.from(message), createPublicKey({ key: jwk, format: "jwk" }), sig), "the signature is not valid");
check(signed.kind === "svc-decision" && signed.nonce === nonce, "the receipt is for another request");
const [now, minutes, day] = [Date.now(), 5 * 60_000, 86_400_000];
const [decided, at, expires] = [signed.decided_at, signed_at, signed.expires_at].map(Date.parse);
const latest = Math.min(decided + day, now + minutes);
check(decided - minutes <= at && at <= latest, "the receipt was not signed when it was decided");
check(expires > now, "the receipt has expired");

console.log(signed.decision, "until", signed.expires_at);
console.log(signed.why);
