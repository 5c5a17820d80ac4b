// Ask before acting, and believe only what is signed.  Node 20; npm install canonicalize
import { createHash, createPublicKey, randomBytes, verify } from "node:crypto";
import canonicalize from "canonicalize";

const call = async (address, body) => {
  const headers = { "content-type": "application/json" };
  const reply = await fetch(address, body && { method: "POST", headers, body: JSON.stringify(body) });
  must(reply.ok, `the service says ${reply.status}`);
  return reply.json();
};

function must(holds, otherwise) {
  if (holds) return;
  console.error(`refused: ${otherwise}`);
  process.exit(1);
}

const [base, url, action] = process.argv.slice(2);
const nonce = randomBytes(16).toString("hex");
const receipt = await call(`${base}/api/v1/preflight`, { url, action, nonce });
const { keys } = await call(`${base}/.well-known/http-message-signatures-directory`);

const { sha256, signature, ...signed } = receipt;
const digest = createHash("sha256").update(canonicalize(signed)).digest("hex");
must(digest === sha256, "its digest is another");
const key = keys.find((key) => key.kid === signature.kid);
must(key?.svc_purpose === "decisions", "its key is not published for decisions");
const jwk = { kty: "OKP", crv: "Ed25519", x: key.x };
const message = Buffer.from(`svc-data-v1\n${digest}`);
const sig = Buffer.from(signature.sig, "base64url");
must(verify(null, message, createPublicKey({ key: jwk, format: "jwk" }), sig), "its signature is not of that key");
must(signed.kind === "svc-decision" && signed.nonce === nonce, "it answers something else");
must(Date.parse(signed.expires_at) > Date.now(), "it is no longer good");

console.log(signed.decision, "until", signed.expires_at);
console.log(signed.why);
