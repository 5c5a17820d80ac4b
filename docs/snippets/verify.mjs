// Ask for a decision before acting, and verify its signature.  Node 20; npm install canonicalize
// Exit codes: 0 the agent may act (allow, warn), 1 the decision is against it, 2 there is no valid decision.
import { createHash, createPublicKey, randomBytes, verify } from "node:crypto";
import canonicalize from "canonicalize";

const BRAND = "svc"; // the first word of the service's record kinds
const CANONICAL = [
  "sha256 is taken over the RFC 8785 canonical JSON of every member except sha256 and signature",
  "sha256 is taken over the canonical JSON of every field except sha256 and signature",
  "sha256 over the RFC 8785 form of every member except sha256 and signature",
];
const DIRECTORY = /^https?:\/\/[A-Za-z0-9[][\w.~:/[\]%-]*\/\.well-known\/http-message-signatures-directory$/;

function check(condition, problem) {
  if (condition) return;
  console.error(`refused: ${problem}`);
  process.exit(2);
}

async function call(address, body) {
  const headers = { "content-type": "application/json" };
  const request = body && { method: "POST", headers, body: JSON.stringify(body) };
  try {
    const reply = await fetch(address, { ...request, signal: AbortSignal.timeout(10_000) });
    const json = await reply.json().catch(() => ({}));
    const reason = json.error ?? "the reply gives no reason";
    check(reply.ok, `the service answered with status ${reply.status}: ${reason}`);
    return json;
  } catch (error) {
    check(false, `no usable reply from ${address}: ${error.cause?.message ?? error.message}`);
  }
}

// The URL as the receipt states it: without port, query and fragment.
function addressInReceipt(url) {
  const { protocol, hostname, pathname } = new URL(url.includes("://") ? url : `https://${url}`);
  return `${protocol}//${hostname}${pathname}`;
}

function verifyReceipt({ sha256, signature, ...signed }, keys, url, action, nonce) {
  const digest = createHash("sha256").update(canonicalize(signed)).digest("hex");
  check(digest === sha256, "the digest does not match");
  const key = keys.find((key) => key.kid === signature.kid);
  check(key?.[`${BRAND}_purpose`] === "decisions", "the signing key is not published for decisions");
  const jwk = { kty: "OKP", crv: "Ed25519", x: key.x };
  const message = `${BRAND}-data-v1\n${digest}`;
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
  const valid = verify(null, Buffer.from(message), createPublicKey({ key: jwk, format: "jwk" }), sig);
  check(valid, "the signature is not valid");
  // A proxy cannot change a receipt, but it could ask for another URL or action with our nonce.
  const stated = [signed.kind, signed.nonce, signed.action, signed.subject.url_without_query];
  const asked = [`${BRAND}-decision`, nonce, action, addressInReceipt(url)];
  check(asked.every((value, index) => value === stated[index]), "the receipt is for another request");
  const [now, minutes, day] = [Date.now(), 5 * 60_000, 86_400_000];
  const [decided, at, expires] = [signed.decided_at, signed_at, signed.expires_at].map(Date.parse);
  const latest = Math.min(decided + day, now + minutes);
  check(decided - minutes <= at && at <= latest, "the receipt was not signed when it was decided");
  check(expires > now, "the receipt has expired");
  const texts = [signed.decision, signed.why];
  check(texts.every((text) => typeof text === "string"), "the receipt has no decision or no reason");
}

check(process.argv.length === 5, `usage: ${process.argv[1]} SERVICE URL ACTION`);
const [service, url, action] = process.argv.slice(2);
check(/^https?:\/\//.test(service), `SERVICE must start with http:// or https://, not ${service}`);
const base = service.replace(/\/+$/, "");
const nonce = randomBytes(16).toString("hex");
const receipt = await call(`${base}/api/v1/preflight`, { url, action, nonce });
const directory = await call(`${base}/.well-known/http-message-signatures-directory`);
try {
  verifyReceipt(receipt, directory.keys, url, action, nonce);
} catch (error) {
  check(false, `the reply is not a receipt: ${error.message}`);
}
console.log(receipt.decision, "until", receipt.expires_at);
console.log(receipt.why);
process.exitCode = ["allow", "warn"].includes(receipt.decision) ? 0 : 1;
