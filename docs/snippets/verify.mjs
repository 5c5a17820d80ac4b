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
const message = Buffer.from(`svc-data-v1\n${digest}`);
const sig = Buffer.from(signature.sig, "base64url");
check(verify(null, message, createPublicKey({ key: jwk, format: "jwk" }), sig), "the signature is not valid");
check(signed.kind === "svc-decision" && signed.nonce === nonce, "the receipt is for another request");
check(Date.parse(signed.expires_at) > Date.now(), "the receipt has expired");

console.log(signed.decision, "until", signed.expires_at);
console.log(signed.why);
