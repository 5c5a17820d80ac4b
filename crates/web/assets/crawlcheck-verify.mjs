#!/usr/bin/env node
// Verifies documents signed by a Wayleave service. It needs neither the service nor its program.
//
//   node crawlcheck-verify.mjs answer.json [more.json …]
//        [--keys FILE|URL] [--rotation FILE] [--log DIR|URL] [--brand NAME] [--json]
//
// One file, no dependencies, Node 20 or later. Exit codes: 0 every document is accepted, 1 at least
// one is not (refused, or not fully checked), 2 at least one could not be checked.
//
// Written independently of the service's own `wayleave verify`, with the same checks under the same
// names, so that the two can be compared. Nothing a document states about itself is trusted: digest,
// message and leaf are recomputed from its members, and its key must be published. The network is
// used only for `--keys URL` and `--log URL`.

import { createHash, createPublicKey, verify as cryptoVerify } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// ---------------------------------------------------------------------------------------------
// Strict JSON: input that parsers read in different ways is refused.
// Objects become Maps (a member may be called `__proto__`), integers become numbers, and a number
// written with a point or an exponent becomes a Double: in the digest 1.0 and 1 are the same value,
// but 1.0 is not accepted as a version or an index.

export const MAX_DEPTH = 128;

export class Double {
  constructor(value) {
    this.value = value;
  }
}

export class NotStrict extends Error {}

/** Parses one JSON value from bytes, with nothing after it. */
export function parseStrict(bytes) {
  let text;
  try {
    // A byte order mark is kept, so that it is refused like any other unexpected character.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NotStrict('not strict JSON: not UTF-8');
  }
  const reader = new Reader(text);
  reader.skipSpace();
  const value = reader.value(0);
  reader.skipSpace();
  if (reader.at < text.length) reader.fail('unexpected data after the value');
  return value;
}

const ESCAPES = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail(why, at = this.at) {
    const byte = Buffer.byteLength(this.text.slice(0, at));
    throw new NotStrict(`not strict JSON at byte ${byte}: ${why}`);
  }

  skipSpace() {
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.at += 1;
    }
  }

  eat(letter) {
    const there = this.text[this.at] === letter;
    if (there) this.at += 1;
    return there;
  }

  value(depth) {
    const letter = this.text[this.at];
    if (letter === '{') return this.object(depth);
    if (letter === '[') return this.array(depth);
    if (letter === '"') return this.string();
    if (letter === '-' || (letter >= '0' && letter <= '9')) return this.number();
    for (const [word, value] of [['true', true], ['false', false], ['null', null]]) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    return this.fail(letter === undefined ? 'unexpected end, expected a value' : 'expected a value');
  }

  deeper(depth) {
    if (depth >= MAX_DEPTH) this.fail('nested too deeply');
    return depth + 1;
  }

  object(depth) {
    const below = this.deeper(depth);
    this.at += 1;
    const members = new Map();
    this.skipSpace();
    if (this.eat('}')) return members;
    for (;;) {
      const nameAt = this.at;
      if (this.text[this.at] !== '"') this.fail('expected a member name');
      const name = this.string();
      this.skipSpace();
      if (!this.eat(':')) this.fail('expected a colon');
      this.skipSpace();
      const value = this.value(below);
      if (members.has(name)) this.fail('repeated member name', nameAt);
      members.set(name, value);
      this.skipSpace();
      if (this.eat('}')) return members;
      if (!this.eat(',')) this.fail('expected a comma or the end of the object');
      this.skipSpace();
    }
  }

  array(depth) {
    const below = this.deeper(depth);
    this.at += 1;
    const items = [];
    this.skipSpace();
    if (this.eat(']')) return items;
    for (;;) {
      items.push(this.value(below));
      this.skipSpace();
      if (this.eat(']')) return items;
      if (!this.eat(',')) this.fail('expected a comma or the end of the array');
      this.skipSpace();
    }
  }

  string() {
    this.at += 1;
    let text = '';
    for (;;) {
      PLAIN.lastIndex = this.at;
      text += PLAIN.exec(this.text)[0];
      this.at = PLAIN.lastIndex;
      if (this.at >= this.text.length) this.fail('unterminated string');
      if (this.eat('"')) return text;
      if (!this.eat('\\')) this.fail('control character in a string');
      text += this.escape();
    }
  }

  escape() {
    const letter = this.text[this.at];
    if (letter === 'u') {
      this.at += 1;
      return this.unicodeEscape();
    }
    if (letter === undefined || !Object.hasOwn(ESCAPES, letter)) this.fail('unknown escape');
    this.at += 1;
    return ESCAPES[letter];
  }

  unicodeEscape() {
    const unit = this.fourHex();
    if (unit >= 0xdc00 && unit <= 0xdfff) this.fail('unpaired surrogate');
    if (unit < 0xd800 || unit > 0xdbff) return String.fromCharCode(unit);
    if (!this.eat('\\') || !this.eat('u')) this.fail('unpaired surrogate');
    const low = this.fourHex();
    if (low < 0xdc00 || low > 0xdfff) this.fail('unpaired surrogate');
    return String.fromCharCode(unit, low);
  }

  fourHex() {
    const digits = this.text.slice(this.at, this.at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail('expected four hex digits');
    this.at += 4;
    return Number.parseInt(digits, 16);
  }

  number() {
    const from = this.at;
    NUMBER.lastIndex = from;
    const found = NUMBER.exec(this.text);
    if (!found) this.fail('expected a digit');
    this.at = NUMBER.lastIndex;
    // The pattern stops before an incomplete fraction or exponent.
    const next = this.text[this.at];
    if (next === '.' && found[1] === undefined && found[2] === undefined) this.fail('expected a digit');
    if ((next === 'e' || next === 'E') && found[2] === undefined) this.fail('expected a digit');
    const value = Number(found[0]);
    if (found[1] === undefined && found[2] === undefined) {
      if (!Number.isSafeInteger(value)) this.fail('integer beyond 2^53 - 1', from);
      return value === 0 ? 0 : value;
    }
    if (!Number.isFinite(value)) this.fail('number too large for a double', from);
    return new Double(value);
  }
}

// Access to members.
const get = (value, name) => (value instanceof Map ? value.get(name) : undefined);
const textOf = (value, name) => {
  const found = get(value, name);
  return typeof found === 'string' ? found : undefined;
};
/** A non-negative integer, written as an integer. */
const countOf = (value, name) => {
  const found = get(value, name);
  return typeof found === 'number' && found >= 0 ? found : undefined;
};

// ---------------------------------------------------------------------------------------------
// Canonical JSON (RFC 8785). The RFC prescribes ECMAScript's notation of numbers and strings, and
// the order of UTF-16 units, in which JavaScript compares strings.

const UNSIGNED_MEMBERS = ['sha256', 'signature'];

/** The canonical form, as text. `leaveOut` names members of the outermost object. */
export function canonical(value, leaveOut = [], depth = 0) {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return String(value);
  if (value instanceof Double) return String(value.value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (depth >= MAX_DEPTH) throw new Error(`no canonical form: nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    return `[${value.map((item) => canonical(item, [], depth + 1)).join(',')}]`;
  }
  const names = [...value.keys()].filter((name) => !leaveOut.includes(name)).sort(byUtf16);
  const members = names.map((name) => `${JSON.stringify(name)}:${canonical(value.get(name), [], depth + 1)}`);
  return `{${members.join(',')}}`;
}

const byUtf16 = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

// ---------------------------------------------------------------------------------------------
// Digests and trees (RFC 9162, section 2.1). A leaf is SHA-256(0x00 ‖ content) and is not hashed
// again. Digests are Buffers in this program and 64 lower-case hex digits in documents.

export const sha256 = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const hex = (bytes) => bytes.toString('hex');
const digestFrom = (text) =>
  typeof text === 'string' && /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined;
const same = (a, b) => a !== undefined && b !== undefined && Buffer.compare(a, b) === 0;

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);
const nodeHash = (left, right) => sha256(NODE, left, right);

/** Whether `leaf` is at `index` in the tree of `size` leaves with this root (2.1.3.2). */
export function verifyInclusion(leaf, index, size, path, root) {
  if (index >= size) return false;
  let at = BigInt(index);
  let last = BigInt(size) - 1n;
  let hash = leaf;
  for (const sibling of path) {
    if (last === 0n) return false;
    if (at % 2n === 1n || at === last) {
      hash = nodeHash(sibling, hash);
      // Skips the levels on which the node had no sibling.
      while (at % 2n === 0n && at !== 0n) {
        at /= 2n;
        last /= 2n;
      }
    } else {
      hash = nodeHash(hash, sibling);
    }
    at /= 2n;
    last /= 2n;
  }
  return last === 0n && same(hash, root);
}

/** Whether the tree of `newSize` leaves extends the tree of `oldSize` (2.1.4.2). */
export function verifyConsistency(oldSize, newSize, oldRoot, newRoot, proof) {
  if (oldSize === newSize) return proof.length === 0 && same(oldRoot, newRoot);
  if (oldSize === 0 || oldSize > newSize || proof.length === 0) return false;
  let at = BigInt(oldSize) - 1n;
  let last = BigInt(newSize) - 1n;
  // A complete old tree is a node of the new one, and its root is not repeated in the proof.
  const complete = (BigInt(oldSize) & at) === 0n;
  const start = complete ? oldRoot : proof[0];
  while (at % 2n === 1n) {
    at /= 2n;
    last /= 2n;
  }
  let older = start;
  let newer = start;
  for (const node of complete ? proof : proof.slice(1)) {
    if (last === 0n) return false;
    if (at % 2n === 1n || at === last) {
      older = nodeHash(node, older);
      newer = nodeHash(node, newer);
      while (at % 2n === 0n && at !== 0n) {
        at /= 2n;
        last /= 2n;
      }
    } else {
      newer = nodeHash(newer, node);
    }
    at /= 2n;
    last /= 2n;
  }
  return last === 0n && same(older, oldRoot) && same(newer, newRoot);
}

/** Computes the root over leaves added one by one; stores the complete subtrees, largest first. */
class Frontier {
  constructor() {
    this.nodes = [];
  }

  push(leaf) {
    let node = { size: 1, hash: leaf };
    while (this.nodes.at(-1)?.size === node.size) {
      const left = this.nodes.pop();
      node = { size: 2 * node.size, hash: nodeHash(left.hash, node.hash) };
    }
    this.nodes.push(node);
  }

  root() {
    const hashes = this.nodes.map((node) => node.hash);
    return hashes.length === 0 ? sha256() : hashes.reduceRight((right, left) => nodeHash(left, right));
  }
}

// ---------------------------------------------------------------------------------------------
// Strict Ed25519: canonical encodings of the key and of R, S below the group order, and neither the
// key nor R of small order. Libraries differ in which of these they check.

const PRIME = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
/** The y of the points whose order divides eight: 1, −1, 0, and the two of order eight. */
const SMALL_ORDER_Y = [0n, 1n, PRIME - 1n, ...orderEightY()];

/** On −x² + y² = 1 + d·x²·y², a point P of order eight has 2P with y = 0. Doubling gives y = 0 where
 *  y² = −x², and with the curve's equation d·y⁴ + 2·y² = 1: y² = (−1 ± √(1 + d)) / d. */
function orderEightY() {
  const power = (base, exponent) => {
    let result = 1n;
    for (let b = base % PRIME, e = exponent; e > 0n; e >>= 1n, b = (b * b) % PRIME) {
      if (e & 1n) result = (result * b) % PRIME;
    }
    return result;
  };
  const root = (square) => {
    const candidate = power(square, (PRIME + 3n) / 8n);
    const other = (candidate * power(2n, (PRIME - 1n) / 4n)) % PRIME;
    return [candidate, other].find((r) => (r * r) % PRIME === square);
  };
  const modulo = (n) => ((n % PRIME) + PRIME) % PRIME;
  const d = modulo(-121665n * power(121666n, PRIME - 2n));
  const inner = root(modulo(1n + d));
  const found = [];
  for (const sign of [1n, -1n]) {
    const y = root(modulo((-1n + sign * inner) * power(d, PRIME - 2n)));
    if (y !== undefined) found.push(y, modulo(-y));
  }
  return found;
}

const littleEndian = (bytes) => BigInt(`0x${hex(Buffer.from(bytes).reverse()) || '0'}`);

/** Why these 32 bytes are not accepted as a key or an R; undefined if they are. */
function pointError(bytes) {
  const y = littleEndian(bytes) & (2n ** 255n - 1n);
  if (y >= PRIME) return 'its encoding is not canonical';
  if (SMALL_ORDER_Y.includes(y)) return 'it is a point of small order';
  return undefined;
}

/** Whether the signature is valid by the strict rule. All three arguments are bytes. */
export function strictEd25519(key, message, signature) {
  if (key.length !== 32 || signature.length !== 64) return false;
  if (pointError(key) || pointError(signature.subarray(0, 32))) return false;
  if (littleEndian(signature.subarray(32)) >= ORDER) return false;
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') };
    return cryptoVerify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
  } catch {
    return false;
  }
}

/** Decodes base64url without padding; undefined for any other spelling. */
function fromBase64url(text) {
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** A public key and its RFC 7638 thumbprint. */
function keyFromX(x) {
  const bytes = fromBase64url(x);
  if (bytes === undefined) throw new Error('key refused: its x is not base64url without padding');
  if (bytes.length !== 32) throw new Error('key refused: its x is not 32 bytes long');
  const why = pointError(bytes);
  if (why) throw new Error(`key refused: ${why}`);
  const kid = sha256(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).toString('base64url');
  return { bytes, kid };
}

function keyFromJwk(jwk) {
  if (textOf(jwk, 'kty') !== 'OKP' || textOf(jwk, 'crv') !== 'Ed25519') {
    throw new Error('key refused: it is not of type OKP and curve Ed25519');
  }
  const x = textOf(jwk, 'x');
  if (x === undefined) throw new Error('key refused: x is missing');
  return keyFromX(x);
}

// ---------------------------------------------------------------------------------------------
// Timestamps: `YYYY-MM-DDTHH:MM:SS[.fff]Z`, as milliseconds since 1970.

const TIMESTAMP = /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?Z$/;
const MIN_TIMESTAMP = -62167219200000;
const MAX_TIMESTAMP = 253402300799999;

export function parseTimestamp(text) {
  const found = typeof text === 'string' ? TIMESTAMP.exec(text) : null;
  if (!found) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number);
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A day that does not exist overflows into another month.
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) {
    return undefined;
  }
  // A leap second counts as second 59; fractions are truncated to milliseconds.
  const seconds = hour * 3600 + minute * 60 + Math.min(second, 59);
  return date.getTime() + seconds * 1000 + Number((found[7] ?? '').padEnd(3, '0').slice(0, 3));
}

const formatTimestamp = (ms) => new Date(ms).toISOString().replace('.000Z', 'Z');

// ---------------------------------------------------------------------------------------------
// Brand and purposes.

class Brand {
  constructor(name) {
    if (!/^[a-z][a-z0-9]{0,31}$/.test(name)) {
      throw new Error(
        '--brand: a brand is 1 to 32 lower-case ASCII letters and digits, beginning with a letter',
      );
    }
    this.name = name;
  }

  kind(word) {
    return `${this.name}-${word}`;
  }

  get logId() {
    return `${this.name}-resolve-log-v1`;
  }

  member(word) {
    return `${this.name}_${word}`;
  }

  /** The purpose of the key that signs documents of this kind; undefined for an unknown kind. */
  purposeOf(kind) {
    if (!kind.startsWith(`${this.name}-`)) return undefined;
    const words = kind.slice(this.name.length + 1);
    if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(words)) return undefined;
    if (words === 'decision') return 'decisions';
    return words === 'log-sth' ? 'log heads' : 'documents';
  }
}

const PURPOSES = ['requests', 'documents', 'decisions', 'log heads'];

// ---------------------------------------------------------------------------------------------
// The list of checks, each with its outcome (`true`, `false` or 'not checked') and a detail.

const NOT_CHECKED = 'not checked';

class Checks {
  constructor() {
    this.list = [];
    // Put before the names of the checks added next.
    this.prefix = '';
  }

  push(name, ok, detail) {
    this.list.push({ name: this.prefix + name, ok, detail });
  }

  /** Passed with the detail `good`, unless there is a reason `wrong`. */
  pushResult(name, good, wrong) {
    if (wrong === undefined) this.push(name, true, good);
    else this.push(name, false, wrong);
  }
}

function conclusionOf(checks) {
  if (checks.some((check) => check.ok === false)) return 'refused';
  return checks.some((check) => check.ok === NOT_CHECKED) ? 'incomplete' : 'accepted';
}

/** The value of `work`, or why it failed. */
const attempt = (work) => {
  try {
    return { value: work() };
  } catch (error) {
    return { why: error.message };
  }
};

// ---------------------------------------------------------------------------------------------
// The published keys: what each is for, and from when to when it may sign. Any malformed entry in
// the rotation record is an error: skipping it could hide that a key was retired or compromised.

export class KeyPolicy {
  /** `now` is the reader's time in milliseconds: signatures from the future are refused. */
  constructor(keys, now = Date.now()) {
    this.keys = keys;
    this.now = now;
  }

  static withoutDirectory() {
    return new KeyPolicy(undefined);
  }

  static fromDirectory(directory, rotation, brand) {
    const keys = new Map();
    const listed = get(directory, 'keys');
    if (!Array.isArray(listed)) throw directoryRefused('it has no list `keys`');
    for (const jwk of listed) {
      if (textOf(jwk, 'crv') !== 'Ed25519') continue;
      const { kid } = keyFromJwk(jwk);
      if (textOf(jwk, 'kid') !== undefined && textOf(jwk, 'kid') !== kid) {
        throw directoryRefused("a kid does not match its key's thumbprint");
      }
      if (keys.has(kid)) throw directoryRefused('it lists a key twice');
      const purpose = purposeIn(jwk, brand.member('purpose'));
      keys.set(kid, { purpose, from: startIn(jwk, brand, 'nbf') });
    }
    if (rotation !== undefined) addRotation(keys, rotation, brand);
    return new KeyPolicy(keys);
  }

  /** From when on the key of this thumbprint signs. */
  startOf(kid) {
    return this.keys?.get(kid)?.from;
  }

  check(kid, purpose, signedAt, checks) {
    if (this.keys === undefined) {
      checks.push(
        'key published',
        NOT_CHECKED,
        'no key directory was given, so it is unknown whose key signed this document',
      );
      return;
    }
    const key = this.keys.get(kid);
    checks.pushResult(
      'key published',
      `published under the thumbprint ${kid}`,
      key ? undefined : `the key ${kid} is neither in the directory nor among the retired keys`,
    );
    if (!key) return;
    checks.pushResult('key purpose', `for ${key.purpose}`, wrongPurpose(key, purpose));
    checks.push('key window', ...windowOf(key, signedAt));
  }

  /** Checks the key of a document that is not at hand but referred to. It was signed no later than
   *  `before`. */
  checkReference(kid, before, name, checks) {
    if (this.keys === undefined) {
      checks.push(name, NOT_CHECKED, 'no key directory was given');
      return;
    }
    const key = this.keys.get(kid);
    let wrong;
    if (!key) wrong = `the key ${kid} is neither in the directory nor among the retired keys`;
    else if (wrongPurpose(key, 'documents')) wrong = wrongPurpose(key, 'documents');
    else if (key.compromised !== undefined) wrong = 'this key is marked as compromised';
    else if (key.from === undefined || before === undefined || key.from > before) {
      wrong = 'this key was not in use when the receipt was signed';
    }
    checks.pushResult(name, 'published for signing documents', wrong);
  }
}

const directoryRefused = (why) => new Error(`key directory refused: ${why}`);

/** Why the key is not for this purpose; undefined if it is. */
function wrongPurpose(key, wanted) {
  if (key.purpose === undefined) return 'the key is published without a purpose';
  if (wanted === undefined) return 'no key may sign documents of this kind';
  if (key.purpose === wanted) return undefined;
  return `the key is for ${key.purpose}, the document needs one for ${wanted}`;
}

function windowOf(key, at) {
  if (at === undefined) return [false, 'signed_at is missing or not a timestamp'];
  if (key.compromised !== undefined) {
    return at >= key.compromised
      ? [false, `the key is marked as compromised since ${formatTimestamp(key.compromised)}`]
      : [
          NOT_CHECKED,
          'the key was compromised later, and signed_at can be backdated by whoever has the key',
        ];
  }
  if (key.from === undefined) return [false, 'the key is published without a start time'];
  if (at < key.from) return [false, `signed_at is before the key's start time ${formatTimestamp(key.from)}`];
  if (key.stopped !== undefined && at > key.stopped) {
    return [false, `signed_at is after the key stopped signing at ${formatTimestamp(key.stopped)}`];
  }
  return [true, `signed at ${formatTimestamp(at)}, key in use from ${formatTimestamp(key.from)}`];
}

function addRotation(keys, rotation, brand) {
  for (const entry of entriesOf(rotation, 'retired')) {
    const stopped = timestampIn(entry, 'stopped_signing_at');
    if (stopped === undefined) throw directoryRefused('a retired key has no stopped_signing_at');
    const retired = { purpose: purposeIn(entry, 'purpose'), from: startIn(entry, brand, 'not_before') };
    // Purpose and start come from the directory if the key is there. The end time always applies.
    const key = entryFor(keys, thumbprintOf(entry), retired);
    key.stopped = key.stopped === undefined ? stopped : Math.min(key.stopped, stopped);
  }
  for (const entry of entriesOf(rotation, 'compromised')) {
    const since = timestampIn(entry, 'compromised_since');
    if (since === undefined) throw directoryRefused('a compromised key has no compromised_since');
    const key = entryFor(keys, thumbprintOf(entry), {});
    key.compromised = key.compromised === undefined ? since : Math.min(key.compromised, since);
  }
}

function entryFor(keys, kid, fresh) {
  if (!keys.has(kid)) keys.set(kid, fresh);
  return keys.get(kid);
}

function entriesOf(rotation, name) {
  const entries = get(rotation, name);
  if (entries === undefined) return [];
  if (!Array.isArray(entries)) throw directoryRefused('`retired` and `compromised` in the rotation record must be lists');
  return entries;
}

function thumbprintOf(entry) {
  const thumbprint = textOf(entry, 'thumbprint');
  if (thumbprint === undefined) {
    throw directoryRefused('a retired or compromised key has no thumbprint');
  }
  const x = textOf(entry, 'x');
  if (x !== undefined && keyFromX(x).kid !== thumbprint) {
    throw directoryRefused('a thumbprint does not match its key');
  }
  return thumbprint;
}

const startIn = (entry, brand, common) =>
  timestampIn(entry, brand.member('signs_from')) ?? timestampIn(entry, common);

/** A time as an RFC 3339 string, or in whole seconds since 1970 as in JOSE. */
function timestampIn(entry, name) {
  const found = get(entry, name);
  if (found === undefined || found === null) return undefined;
  const read =
    typeof found === 'number'
      ? Math.min(Math.max(found * 1000, MIN_TIMESTAMP), MAX_TIMESTAMP)
      : parseTimestamp(found);
  if (read === undefined) throw directoryRefused(`${name} is not a timestamp`);
  return read;
}

/** An unknown purpose is treated as none, not as an error in the directory. */
function purposeIn(entry, name) {
  const word = get(entry, name);
  if (word === undefined) return undefined;
  if (typeof word !== 'string') throw directoryRefused(`${name} is not a string`);
  return PURPOSES.includes(word) ? word : undefined;
}

// ---------------------------------------------------------------------------------------------
// The checks for every signed document: kind, digest, signature block, key.

function checkDocument(members, policy, brand, checks) {
  const kind = textOf(members, 'kind') ?? '';
  const purpose = brand.purposeOf(kind);
  checks.pushResult(
    'kind',
    kind,
    purpose ? undefined : `kind must have the form ${brand.name}-name`,
  );
  const digest = checkDigest(members, checks);
  const block = get(members, 'signature');
  if (!(block instanceof Map)) {
    checks.push('signature', false, 'the document has no signature');
    return;
  }
  const signedAt = parseTimestamp(get(block, 'signed_at'));
  checkForm(block, checks);
  checkBlockMembers(block, checks);
  checks.push('signing time', ...signingTime(members, signedAt, policy, brand));
  const key = checkKey(block, checks);
  if (key) {
    if (digest) checkSignature(block, key, digest, brand, checks);
    policy.check(key.kid, purpose, signedAt, checks);
  }
  if (purpose === 'decisions') checkAnswerKey(members, policy, signedAt, checks);
}

/** The recomputed digest, even if the document states another one. */
function checkDigest(members, checks) {
  const { value: made, why } = attempt(() => sha256(canonical(members, UNSIGNED_MEMBERS)));
  if (made === undefined) {
    checks.push('digest', false, why);
    return undefined;
  }
  const stated = textOf(members, 'sha256');
  let wrong;
  if (stated === undefined) wrong = 'the document has no sha256';
  else if (stated !== hex(made)) wrong = `the document states ${stated}, but its members hash to ${hex(made)}`;
  checks.pushResult('digest', `sha256 ${hex(made)}`, wrong);
  return made;
}

function checkForm(block, checks) {
  let wrong;
  if (countOf(block, 'v') !== 1) wrong = 'v is not 1';
  else if (textOf(block, 'alg') !== 'Ed25519') wrong = 'alg is not Ed25519';
  else if (textOf(block, 'over') !== 'sha256') wrong = 'over is not sha256';
  checks.pushResult('signature form', 'version 1, Ed25519, over sha256', wrong);
}

// What no signature covers: the other members of the signature block. Each must have the one value it
// can have, or lie near a time that the signature does cover.

const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
const BLOCK_MEMBERS = ['alg', 'canonical', 'key', 'kid', 'message', 'over', 'sig', 'signed_at', 'v'];
const KEY_MEMBERS = ['jwk', 'kid', 'published_in'];
const JWK_MEMBERS = ['crv', 'kty', 'x'];
/** The texts of `canonical`: the service's own, that of the interface, that of its reference records. */
const CANONICAL_TEXTS = [
  'sha256 is taken over the RFC 8785 canonical JSON of every member except sha256 and signature',
  'sha256 is taken over the canonical JSON of every field except sha256 and signature',
  'sha256 over the RFC 8785 form of every member except sha256 and signature',
];
const DIRECTORY_ADDRESS =
  /^https?:\/\/[A-Za-z0-9[][A-Za-z0-9\-._~:/[\]%]*\/\.well-known\/http-message-signatures-directory$/;
/** The member that states when a document of this kind was made. */
const TIME_MEMBERS = new Map([
  ['claims', 'generated_at'],
  ['corroboration', 'generated_at'],
  ['day-seal', 'sealed_at'],
  ['decision', 'decided_at'],
  ['decision-check', 'checked_at'],
  ['log', 'generated_at'],
  ['log-sth', 'created_at'],
  ['resolve', 'answered_at'],
  ['revocations', 'generated_at'],
  ['scan', 'scannedAt'],
  ['staple', 'made_at'],
]);

function checkBlockMembers(block, checks) {
  const key = get(block, 'key');
  const unknownIn = (value, known, prefix) => {
    const name = value instanceof Map ? [...value.keys()].find((n) => !known.includes(n)) : undefined;
    return name === undefined ? undefined : prefix + name;
  };
  const unknown =
    unknownIn(block, BLOCK_MEMBERS, '') ??
    unknownIn(key, KEY_MEMBERS, 'key.') ??
    unknownIn(get(key, 'jwk'), JWK_MEMBERS, 'key.jwk.');
  let wrong;
  if (unknown !== undefined) {
    wrong = `${unknown} is not a member of a signature, and the signature does not cover it`;
  } else if (!CANONICAL_TEXTS.includes(textOf(block, 'canonical'))) {
    wrong = 'canonical does not state the rule of the digest';
  } else if (!DIRECTORY_ADDRESS.test(textOf(key, 'published_in') ?? '')) {
    wrong = `key.published_in is not an address that ends with ${DIRECTORY_PATH}`;
  }
  const good = 'no others than specified; canonical and published_in have the specified form';
  checks.pushResult('signature members', good, wrong);
}

/** Compares signed_at with the reader's clock and the time that the document itself states. */
function signingTime(members, signedAt, policy, brand) {
  const now = policy.now;
  if (signedAt === undefined) return [false, 'signed_at is missing or not a timestamp'];
  const signed = formatTimestamp(signedAt);
  const inTheFuture =
    signedAt > now + CLOCK_TOLERANCE_MS
      ? `signed_at is ${signed}, in the future: it is ${formatTimestamp(now)} here`
      : undefined;
  const kind = textOf(members, 'kind') ?? '';
  let name = kind.startsWith(brand.kind('')) ? TIME_MEMBERS.get(kind.slice(brand.kind('').length)) : undefined;
  if (name === undefined || !members.has(name)) {
    if (inTheFuture !== undefined) return [false, inTheFuture];
    return [true, `signed at ${signed}; the document states no time of its own`];
  }
  let stated = get(members, name);
  // A document that was signed again because its key was compromised states when.
  const again = get(get(members, 'replaced_signature'), 'at');
  if (again !== undefined) [name, stated] = ['replaced_signature.at', again];
  const madeAt = parseTimestamp(stated);
  if (madeAt === undefined) return [false, `${name} is not a timestamp`];
  const made = formatTimestamp(madeAt);
  const isFixed = ['log-sth', 'day-seal'].some((word) => kind === brand.kind(word));
  // A time in the future that the signature covers is no change of the document, and must not make
  // every later answer of that log invalid.
  const isAhead = isFixed && madeAt > now + CLOCK_TOLERANCE_MS;
  if (inTheFuture !== undefined && !isAhead) return [false, inTheFuture];
  // Their content cannot change, so they are signed again as of the start of the new key.
  const kid = textOf(get(members, 'signature'), 'kid');
  if (isFixed && madeAt < signedAt && policy.startOf(kid) === signedAt) {
    return [true, `signed again at ${signed}, the start of its key; ${name} is ${made}`];
  }
  // The times of heads and daily seals never run backwards, so after a clock was set back they are
  // ahead of it.
  const early = isFixed ? DAY_MS : CLOCK_TOLERANCE_MS;
  if (signedAt < madeAt - early) {
    return [false, `signed_at is ${signed}, before the document was made (${name} ${made})`];
  }
  if (signedAt > madeAt + DAY_MS && isFixed && policy.keys === undefined) {
    return [
      NOT_CHECKED,
      `signed_at is ${signed}, more than a day after ${name}, ${made}; without a key directory it is ` +
        'unknown whether its key started then',
    ];
  }
  if (signedAt > madeAt + DAY_MS) {
    return [false, `signed_at is ${signed}, more than a day after ${name}, ${made}`];
  }
  if (isAhead) {
    return [true, `signed at ${signed}, ${name} is ${made}: the clock of the log ran ahead`];
  }
  return [true, `signed at ${signed}, ${name} is ${made}`];
}

/** Checks when the head in an answer was made. A decision that has not changed keeps its place in the
 *  log, so an old head is told and not refused. A head cannot be older than what was observed, nor
 *  newer than the answer that contains it. */
function headTime(answer, createdAt) {
  const created = formatTimestamp(createdAt);
  const answeredAt = parseTimestamp(get(answer, 'answered_at'));
  if (answeredAt === undefined) return [true, `created at ${created}`];
  const answered = formatTimestamp(answeredAt);
  const observedAt = parseTimestamp(get(get(answer, 'freshness'), 'observed_at'));
  if (createdAt > answeredAt + DAY_MS) {
    return [
      true,
      `the head is of ${created}, ${LONG_AFTER}, ${answered}: one of the two times is wrong`,
    ];
  }
  if (observedAt !== undefined && createdAt < observedAt - DAY_MS) {
    return [false, `the head is of ${created}, more than a day before what the answer observed`];
  }
  if (createdAt < answeredAt - DAY_MS) {
    return [
      true,
      `the head is of ${created}, ${LONG_BEFORE}, ${answered}: this decision was logged then and has not changed`,
    ];
  }
  return [true, `the head is of ${created}, within a day of the answer`];
}

const LONG_BEFORE = 'more than a day before the answer';
const LONG_AFTER = 'more than a day after the answer';

/** The key embedded in the document, if its thumbprint is the `kid` that the document names. It can
 *  be used in place of the published key, because the thumbprint identifies the key. */
function checkKey(block, checks) {
  const brought = get(block, 'key');
  const jwk = get(brought, 'jwk');
  const { value: key, why } = attempt(() => {
    if (jwk === undefined) throw new Error('key.jwk is missing');
    const found = keyFromJwk(jwk);
    if (textOf(block, 'kid') !== found.kid || textOf(brought, 'kid') !== found.kid) {
      throw new Error(`kid does not match the key's thumbprint ${found.kid}`);
    }
    return found;
  });
  checks.pushResult('thumbprint', `kid ${key?.kid}`, why);
  return key;
}

function checkSignature(block, key, digest, brand, checks) {
  const message = `${brand.name}-data-v1\n${hex(digest)}`;
  checks.pushResult(
    'message',
    'prefix and digest are correct',
    textOf(block, 'message') === message
      ? undefined
      : "signature.message is not the prefix followed by this document's digest",
  );
  const signature = fromBase64url(textOf(block, 'sig'));
  let wrong;
  if (signature === undefined) wrong = 'sig is not base64url';
  else if (!strictEd25519(key.bytes, Buffer.from(message), signature)) {
    wrong = 'the signature does not match this key and document';
  }
  checks.pushResult('signature', 'valid Ed25519 signature over the recomputed digest', wrong);
}

/** A receipt depends on the answer it was made from, and so on the key that signed that answer. */
function checkAnswerKey(members, policy, signedAt, checks) {
  const kid = textOf(get(members, 'resolve'), 'kid');
  if (kid === undefined) {
    checks.push("answer's key", false, "resolve.kid (the key of the receipt's answer) is missing");
  } else {
    policy.checkReference(kid, signedAt, "answer's key", checks);
  }
}

// ---------------------------------------------------------------------------------------------
// The part of an answer that is in the log, and its position there.

/** The decision content: what the answer decides, without anything that changes each time it is
 *  served. */
export function decisionContent(answer, brand) {
  const refused = (why) => new Error(`decision cannot be logged: ${why}`);
  const required = (name) => {
    if (!answer.has(name)) throw refused(`${name} is missing`);
    return answer.get(name);
  };
  const sortedTexts = (list, pick) => {
    if (list === undefined || list === null) return [];
    const texts = Array.isArray(list) ? list.map(pick) : [undefined];
    if (texts.some((text) => typeof text !== 'string')) {
      throw refused('a list in it contains something other than text');
    }
    return texts.sort(byUtf16);
  };
  const inner = (section, member) => get(get(answer, section), member) ?? null;
  const actions = get(answer, 'actions');
  if (!(actions instanceof Map)) throw refused('actions is missing');
  const decisions = new Map();
  for (const [name, action] of actions) {
    decisions.set(
      name,
      new Map([
        ['decision', get(action, 'decision') ?? null],
        ['doubts', sortedTexts(get(action, 'doubts'), (doubt) => doubt)],
      ]),
    );
  }
  return new Map([
    ['log', brand.logId],
    ['domain', required('domain')],
    ['status', required('status')],
    ['actions', decisions],
    ['report', inner('evidence', 'report')],
    ['observed_at', inner('freshness', 'observed_at')],
    ['incident', inner('incident', 'since')],
    ['impersonation', inner('impersonation', 'verdict') === 'suspected' ? 'suspected' : null],
    [
      'high_risk_pending',
      sortedTexts(inner('high_risk_fields', 'pending'), (entry) => get(entry, 'field')),
    ],
  ]);
}

const decisionLeaf = (answer, brand) => sha256(LEAF, canonical(decisionContent(answer, brand)));

/** The members of a head that define the chain and the tree. Checks that its numbers add up. */
function readHead(head) {
  const refused = (why) => new Error(`tree head refused: ${why}`);
  const must = (name, value) => {
    if (value === undefined) throw refused(`${name} is missing or malformed`);
    return value;
  };
  const count = (name) => must(name, countOf(head, name));
  const digest = (name) => must(name, digestFrom(get(head, name)));
  const previous = get(head, 'prev_sth_sha256') === null ? null : digest('prev_sth_sha256');
  const read = {
    logId: must('log_id', textOf(head, 'log_id')),
    batch: count('batch'),
    firstIndex: count('first_index'),
    batchSize: count('batch_size'),
    treeSize: count('tree_size'),
    batchRoot: digest('batch_root'),
    previous,
    createdAt: must('created_at', parseTimestamp(get(head, 'created_at'))),
    sha256: digest('sha256'),
  };
  if (read.batchSize === 0) throw refused('the batch is empty');
  // A sum beyond 2^53 is rounded, and still larger than any tree_size that can be read.
  if (read.firstIndex + read.batchSize !== read.treeSize) {
    throw refused('tree_size is not first_index plus batch_size');
  }
  const first = read.batch === 0;
  if (first !== (previous === null) || first !== (read.firstIndex === 0)) {
    throw refused('batch 0, and only batch 0, must have prev_sth_sha256 null and first_index 0');
  }
  return read;
}

function checkHead(head, brand, checks) {
  const { value: read, why } = attempt(() => readHead(head));
  const foreign = read && read.logId !== brand.logId;
  checks.pushResult(
    'sums',
    `batch ${read?.batch}, tree size ${read?.treeSize}`,
    foreign ? `log_id is ${read.logId}, not ${brand.logId}` : why,
  );
  return read;
}

function checkLogged(members, policy, brand, checks) {
  const kind = textOf(members, 'kind') ?? '';
  if (kind === brand.kind('log-sth')) {
    checkHead(members, brand, checks);
    return;
  }
  const isAnswer = kind === brand.kind('resolve');
  const transparency = get(members, 'transparency');
  if (isAnswer && transparency instanceof Map) checkAnswer(members, transparency, policy, brand, checks);
  else if (isAnswer && transparency === undefined) {
    checks.push('log', NOT_CHECKED, 'this answer has no transparency member');
  } else if (isAnswer) checks.push('log', false, 'transparency is not an object');
  else if (transparency !== undefined) {
    checks.push('log', NOT_CHECKED, 'this verifier does not know how documents of this kind are logged');
  }
}

const MERGE_MINUTES = 30;

function checkAnswer(answer, transparency, policy, brand, checks) {
  const leaf = attempt(() => decisionLeaf(answer, brand));
  if (textOf(transparency, 'state') !== 'included') {
    const minutes = countOf(transparency, 'merged_within_minutes');
    if (minutes >= 1 && minutes <= MERGE_MINUTES) {
      checks.push('log', NOT_CHECKED, 'the answer is not in the log yet; the service promised to add it');
    } else {
      checks.push('log', false, `the answer is not in the log and not promised within ${MERGE_MINUTES} minutes`);
    }
    return;
  }
  let wrong = leaf.why;
  if (leaf.value && !same(digestFrom(get(transparency, 'leaf_hash')), leaf.value)) {
    wrong = `leaf_hash does not match this decision, which hashes to ${hex(leaf.value)}`;
  }
  checks.pushResult('leaf', `leaf ${leaf.value && hex(leaf.value)}`, wrong);
  const sth = get(transparency, 'sth');
  if (!(sth instanceof Map)) {
    checks.push('head', false, 'sth is missing');
    return;
  }
  checks.prefix = 'head: ';
  if (textOf(sth, 'kind') !== brand.kind('log-sth')) {
    checks.push('kind of head', false, 'sth is not a tree head');
  }
  checkDocument(sth, policy, brand, checks);
  const head = checkHead(sth, brand, checks);
  checks.prefix = '';
  if (head && leaf.value) {
    checkPosition(transparency, head, leaf.value, checks);
    checks.push('head time', ...headTime(answer, head.createdAt));
  }
}

/** Checks that the answer's stated position agrees with the head, and its inclusion path. */
function checkPosition(transparency, head, leaf, checks) {
  const stated = countOf(transparency, 'index');
  const index = stated < head.batchSize ? stated : undefined;
  let wrong;
  if (textOf(transparency, 'log_id') !== head.logId) wrong = 'log_id differs from the head';
  else if (countOf(transparency, 'batch') !== head.batch) wrong = 'batch differs from the head';
  else if (countOf(transparency, 'batch_size') !== head.batchSize) wrong = 'batch_size differs from the head';
  else if (index === undefined) wrong = 'index is outside the batch';
  else if (transparency.has('log_index') && countOf(transparency, 'log_index') !== head.firstIndex + index) {
    wrong = 'log_index is not first_index plus index';
  }
  checks.pushResult('place', 'batch, size and index agree with the head', wrong);
  const path = digestsFrom(get(transparency, 'path'));
  const leads =
    path !== undefined &&
    index !== undefined &&
    verifyInclusion(leaf, index, head.batchSize, path, head.batchRoot);
  checks.pushResult(
    'inclusion',
    'the path leads to batch_root',
    leads ? undefined : 'the path does not lead to batch_root',
  );
}

/** Parses a list of hex digests; undefined if it is malformed. */
function digestsFrom(list) {
  const digests = Array.isArray(list) ? list.map(digestFrom) : [undefined];
  return digests.includes(undefined) ? undefined : digests;
}

// ---------------------------------------------------------------------------------------------
// Checks a document against a copy of the log.

/** The most heads and leaves that are checked. Larger logs need another tool. */
const MAX_HEADS = 1_000_000;
const MAX_HEADS_BY_URL = 100_000;
const MAX_LEAVES = 100_000_000;
const TILE_WIDTH = 256;

/** The heads of a log from batch `first` on, in order. Each is checked when it is added. */
export class LogHeads {
  constructor(policy, brand, first = 0) {
    Object.assign(this, { policy, brand, first, list: [] });
  }

  get end() {
    return this.first + this.list.length;
  }

  get newest() {
    return this.list.at(-1);
  }

  at(batch) {
    return this.list[batch - this.first];
  }

  /** Adds the next head: bytes, or a parsed value. */
  push(found) {
    this.list.push(this.checkListedHead(found, this.end));
  }

  /** Records that the log reports one newest head but lists another. */
  markNewestContradicted() {
    const why = `batch ${this.end - 1}: the log reports one newest head but lists another`;
    if (this.newest) Object.assign(this.newest, { ok: false, why });
  }

  checkListedHead(found, batch) {
    const failed = (why) => ({ ok: false, why: `batch ${batch}: ${why}` });
    const { value, why } = attempt(() => (Buffer.isBuffer(found) ? parseStrict(found) : found));
    if (why !== undefined) return failed(why);
    if (!(value instanceof Map)) return failed('the head is missing');
    if (textOf(value, 'kind') !== this.brand.kind('log-sth')) return failed('it is not a tree head');
    const checks = new Checks();
    checkDocument(value, this.policy, this.brand, checks);
    const head = checkHead(value, this.brand, checks);
    if (head && get(value, 'tree_root') !== undefined) {
      head.treeRoot = digestFrom(get(value, 'tree_root'));
      checks.pushResult('tree_root', '', head.treeRoot ? undefined : 'it is not a digest');
    }
    const firstWith = (ok) => checks.list.find((check) => check.ok === ok);
    const bad = firstWith(false) ?? firstWith(NOT_CHECKED);
    const checked = { head, ok: bad?.ok ?? true, why: bad && `batch ${batch}: ${bad.name}: ${bad.detail}` };
    if (checked.ok === false) return checked;
    if (head.batch !== batch) {
      return { ...checked, ...failed(`the log lists the head of batch ${head.batch} here`) };
    }
    return checked;
  }

  /** Why the head of this batch does not follow the previous one; undefined if it does. */
  brokenLink(batch) {
    const [previous, next] = [this.at(batch - 1)?.head, this.at(batch)?.head];
    const broken = (why) => `batch ${batch}: ${why}`;
    if (!previous || !next) return broken('a head is missing, so the link cannot be checked');
    if (previous.logId !== next.logId) return broken('it belongs to another log');
    if (previous.batch + 1 !== next.batch) {
      return broken("its number does not follow the previous head's number");
    }
    if (next.firstIndex !== previous.treeSize) {
      return broken("first_index is not the previous head's tree_size");
    }
    if (next.previous === null || !same(next.previous, previous.sha256)) {
      return broken("prev_sth_sha256 is not the previous head's sha256");
    }
    if (next.createdAt < previous.createdAt) return broken('it is older than the previous head');
    return undefined;
  }

  /** Checks the chain from this batch to the newest head: outcome and detail. */
  chainFrom(batch) {
    let doubt;
    for (let at = batch; at < this.end; at += 1) {
      const { ok, why } = this.at(at);
      if (ok === false) return [false, why];
      const broken = at > batch ? this.brokenLink(at) : undefined;
      if (broken) return [false, broken];
      if (ok === NOT_CHECKED) doubt ??= why;
    }
    if (doubt) return [NOT_CHECKED, doubt];
    return [true, `${this.end - batch} heads from batch ${batch} to batch ${this.end - 1} form one chain`];
  }

  /** How many leaves the log has according to its heads. Throws if they contradict each other. */
  treeSize() {
    for (let at = this.first; at < this.end; at += 1) {
      const { head, why } = this.at(at);
      if (!head) throw new Error(why);
      if (head.firstIndex !== (at === 0 ? 0 : this.at(at - 1).head.treeSize)) {
        throw new Error(`batch ${at}: first_index is not the previous head's tree_size`);
      }
    }
    return this.newest?.head.treeSize ?? 0;
  }
}

/** Goes through all leaves of a log, from batch 0, and recomputes both roots of every head. */
class LeafWalk {
  constructor(heads) {
    const [logTree, batchTree] = [new Frontier(), new Frontier()];
    Object.assign(this, { heads, at: 0, logTree, batchTree, previousLeaf: undefined });
    const { value, why } = attempt(() => heads.treeSize());
    this.size = value ?? 0;
    this.failure = why;
    this.headWithoutRoot = undefined;
  }

  /** How many of a tile's hashes belong to the tree. */
  width(tile) {
    return Math.min(TILE_WIDTH, this.size - tile * TILE_WIDTH);
  }

  addTile(bytes, tile) {
    const width = this.width(tile);
    if (bytes === undefined || bytes.length !== width * 32) {
      this.failure ??= `tile ${tile} of level 0 is missing or does not have ${width} hashes`;
    }
    for (let n = 0; n < width && this.failure === undefined; n += 1) {
      this.addLeaf(bytes.subarray(32 * n, 32 * n + 32));
    }
  }

  addLeaf(leaf) {
    const { head } = this.heads.at(this.at);
    if (this.previousLeaf && Buffer.compare(this.previousLeaf, leaf) >= 0) {
      this.failure = `batch ${this.at}: its leaves are not in ascending order`;
      return;
    }
    this.previousLeaf = leaf;
    this.logTree.push(leaf);
    this.batchTree.push(leaf);
    this.count = (this.count ?? 0) + 1;
    if (this.count < head.treeSize) return;
    if (!same(this.batchTree.root(), head.batchRoot)) {
      this.failure = `batch ${this.at}: its leaves do not hash to its batch_root`;
    } else if (head.treeRoot === undefined) {
      this.headWithoutRoot ??= `batch ${this.at}: its head has no tree_root`;
    } else if (!same(this.logTree.root(), head.treeRoot)) {
      this.failure = `batch ${this.at}: the leaves up to its end do not hash to its tree_root`;
    }
    this.at += 1;
    this.batchTree = new Frontier();
    this.previousLeaf = undefined;
  }

  outcome() {
    if (this.failure !== undefined) return [false, this.failure];
    if (this.headWithoutRoot !== undefined) return [NOT_CHECKED, this.headWithoutRoot];
    return [true, `${this.size} leaves reproduce both roots of all ${this.heads.end} heads`];
  }
}

/** The head that a document refers to: the one in an answer, or the document itself. */
function headOfDocument(members, brand) {
  const kind = textOf(members, 'kind');
  const transparency = get(members, 'transparency');
  if (kind === brand.kind('log-sth')) return members;
  if (kind !== brand.kind('resolve') || textOf(transparency, 'state') !== 'included') return undefined;
  const sth = get(transparency, 'sth');
  return sth instanceof Map ? sth : undefined;
}

/** Checks a document's head against a copy of the log. */
function checkAgainstLog(members, copy, brand, checks) {
  const named = headOfDocument(members, brand);
  if (named === undefined) {
    checks.push('log head', NOT_CHECKED, 'this document does not refer to a log head');
    return;
  }
  const { value: head, why } = attempt(() => readHead(named));
  if (!head) {
    checks.push('log head', false, why);
    return;
  }
  head.treeRoot = digestFrom(get(named, 'tree_root'));
  const { heads } = copy;
  if (head.batch >= heads.end) {
    const end = heads.end === 0 ? 'holds no heads' : `ends with batch ${heads.end - 1}`;
    checks.push(
      'log head',
      NOT_CHECKED,
      `the copy of the log ${end}: the copy is older than the document, or the log was truncated`,
    );
    return;
  }
  const theirs = heads.at(head.batch)?.head;
  checks.pushResult(
    'log head',
    `the log has the same head for batch ${head.batch}`,
    same(theirs?.sha256, head.sha256) ? undefined : `the log has another head for batch ${head.batch}`,
  );
  checks.push('chain', ...heads.chainFrom(head.batch));
  checks.push('consistency', ...copy.checkConsistency(head));
}

/** Checks by a consistency proof that the tree of the newest head extends the tree of this one. */
function checkConsistencyProof(head, newest, proofs) {
  if (head.treeRoot === undefined || newest?.treeRoot === undefined) {
    return [NOT_CHECKED, 'a head without tree_root cannot be compared'];
  }
  const [from, to] = [head.treeSize, newest.treeSize];
  const proof = from === to ? { path: [] } : proofs.get(from);
  if (proof === undefined) return [false, `the log gave no consistency proof from ${from} to ${to} leaves`];
  if (proof.why !== undefined) return [false, proof.why];
  return verifyConsistency(from, to, head.treeRoot, newest.treeRoot, proof.path)
    ? [true, `the tree of ${to} leaves extends the tree of ${from}`]
    : [false, `the proof does not show that the tree of ${to} leaves extends the tree of ${from}`];
}

/** Reads an exported log: heads, then every leaf. */
async function logInFolder(folder, policy, brand) {
  const heads = new LogHeads(policy, brand);
  for (let from = 0; ; from += 1000) {
    const name = join('sths', `${String(from).padStart(9, '0')}.jsonl`);
    const bytes = await readBounded(join(folder, name), MAX_ANSWER_BYTES);
    if (bytes === undefined && from === 0) throw new Error(`${join(folder, name)} cannot be read`);
    if (bytes === undefined) break;
    for (const line of linesOf(bytes)) heads.push(line);
    if (heads.end > MAX_HEADS) throw new Error(`the log has more than ${MAX_HEADS} heads`);
  }
  const walk = new LeafWalk(heads);
  if (walk.size > MAX_LEAVES) throw new Error(`the log has more than ${MAX_LEAVES} leaves`);
  for (let tile = 0; tile * TILE_WIDTH < walk.size && walk.failure === undefined; tile += 1) {
    const width = walk.width(tile);
    const whole = join(folder, 'tile', '0', tilePath(tile));
    let bytes = width < TILE_WIDTH ? await readBounded(`${whole}.p/${width}`, 8192) : undefined;
    // A log that has grown since may have only the full tile.
    bytes ??= (await readBounded(whole, 8192))?.subarray(0, 32 * width);
    walk.addTile(bytes, tile);
  }
  const outcome = walk.outcome();
  return { heads, checkConsistency: () => outcome };
}

const linesOf = (bytes) => {
  const lines = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from);
    lines.push(bytes.subarray(from, end < 0 ? bytes.length : end));
    from = end < 0 ? bytes.length : end + 1;
  }
  return lines;
};

/** 1234067 is x001/x234/067. */
function tilePath(tile) {
  const digits = String(tile);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.{3}/g);
  return groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
}

/** Reads the part of a service's log that these documents need. */
async function logByUrl(base, documents, policy, brand) {
  const fetchLog = async (path) => parseStrict(await fetchBounded(`${base}/api/v1/log${path}`));
  const latest = get(await fetchLog(''), 'head');
  const { value: newest, why } = attempt(() => readHead(latest));
  if (!newest) throw new Error(`${base}/api/v1/log names no newest head: ${why}`);
  const wanted = documents
    .map((members) => attempt(() => readHead(headOfDocument(members, brand))).value)
    .filter((head) => head !== undefined && head.batch <= newest.batch);
  const first = wanted.reduce((least, head) => Math.min(least, head.batch), newest.batch);
  if (newest.batch - first >= MAX_HEADS_BY_URL) {
    throw new Error(`more than ${MAX_HEADS_BY_URL} heads lie between the documents and the newest head: export the log and use --log DIR`);
  }
  const found = [];
  for (let to = newest.batch; to >= first; ) {
    const count = Math.min(200, to - first + 1);
    const page = get(await fetchLog(`/sths?to=${to}&n=${count}`), 'sths');
    const listed = Array.isArray(page) ? page : [];
    for (let n = 0; n < count; n += 1) found.push(listed[n]);
    to -= count;
  }
  const heads = new LogHeads(policy, brand, first);
  for (const head of found.reverse()) heads.push(head);
  if (!same(heads.newest?.head?.sha256, newest.sha256)) heads.markNewestContradicted();
  const proofs = new Map();
  for (const { treeSize } of wanted) {
    if (treeSize >= newest.treeSize || proofs.has(treeSize)) continue;
    const path = digestsFrom(get(await fetchLog(`/consistency?from=${treeSize}&to=${newest.treeSize}`), 'proof'));
    proofs.set(treeSize, path ? { path } : { why: "the log's consistency proof is not a list of digests" });
  }
  return { heads, checkConsistency: (head) => checkConsistencyProof(head, heads.newest?.head, proofs) };
}

// ---------------------------------------------------------------------------------------------
// Verifying a document.

/** Makes all checks of a document, given as bytes. `copy` is a copy of the log, if there is one. */
export function verifyDocument(bytes, policy, brand, copy) {
  const checks = new Checks();
  const { value: document, why } = attempt(() => parseStrict(bytes));
  checks.pushResult('parse', 'strict JSON', why);
  if (document instanceof Map) {
    checkDocument(document, policy, brand, checks);
    checkLogged(document, policy, brand, checks);
    if (copy) checkAgainstLog(document, copy, brand, checks);
  } else {
    checks.push('document', false, 'the document is not a JSON object');
  }
  return {
    kind: textOf(document, 'kind') ?? null,
    sha256: textOf(document, 'sha256') ?? null,
    kid: textOf(get(document, 'signature'), 'kid') ?? null,
    checks: checks.list,
  };
}

// ---------------------------------------------------------------------------------------------
// Reading files and URLs, with limits on size and time.

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 60_000;
const DIRECTORY_PATH = '/.well-known/http-message-signatures-directory';
const ROTATION_PATH = '/.well-known/security-key-rotation.json';

async function readWhole(file) {
  try {
    if (file !== '-') return await readFile(file);
    const parts = [];
    for await (const part of process.stdin) parts.push(part);
    return Buffer.concat(parts);
  } catch (error) {
    throw new Error(`${file} cannot be read: ${error.message}`);
  }
}

/** The bytes of a log file; undefined if the file does not exist. */
async function readBounded(file, most) {
  let handle;
  try {
    handle = await open(file);
    const { size } = await handle.stat();
    if (size > most) throw new Error(`it is larger than ${most} bytes`);
    return await handle.readFile();
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new Error(`${file} cannot be read: ${error.message}`);
  } finally {
    await handle?.close();
  }
}

async function fetchBounded(url) {
  try {
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: 'application/json, */*;q=0.5' },
    });
    if (response.status !== 200) throw new Error(`HTTP status ${response.status}`);
    const parts = [];
    let size = 0;
    for await (const part of response.body ?? []) {
      size += part.length;
      if (size > MAX_ANSWER_BYTES) throw new Error(`it is larger than ${MAX_ANSWER_BYTES} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    throw new Error(`${url} cannot be read: ${error.cause?.message ?? error.message}`);
  }
}

const isUrl = (text) => text.startsWith('http://') || text.startsWith('https://');
const baseOf = (url, path) => url.replace(/\/+$/, '').replace(new RegExp(`${path}$`), '');

async function policyFrom(options, brand) {
  const { keys, rotation } = options;
  if (keys === undefined) return KeyPolicy.withoutDirectory();
  let read;
  if (isUrl(keys)) {
    const base = baseOf(keys, DIRECTORY_PATH);
    read = [await fetchBounded(base + DIRECTORY_PATH), await fetchBounded(base + ROTATION_PATH)];
  } else {
    read = [await readWhole(keys), rotation && (await readWhole(rotation))];
  }
  const parsed = ['the key directory', 'the rotation record'].map((what, n) => {
    if (read[n] === undefined) return undefined;
    const { value, why } = attempt(() => parseStrict(read[n]));
    if (why !== undefined) throw new Error(`${what} is not valid: ${why}`);
    return value;
  });
  return KeyPolicy.fromDirectory(...parsed, brand);
}

// ---------------------------------------------------------------------------------------------
// The command.

const USAGE = `Usage: node crawlcheck-verify.mjs FILE… [--keys FILE|URL] [--rotation FILE]
                                 [--log DIR|URL] [--brand NAME] [--json]

  FILE              signed documents; - reads standard input
  --keys FILE|URL   the key directory, or the URL of a service (reads its two well-known URLs)
  --rotation FILE   the rotation record, if --keys is a file
  --log DIR|URL     an exported log, or the URL of a service
  --brand NAME      the brand of the service that signed the documents (default: svc)
  --json            print all checks as JSON

Exit codes: 0 all files accepted, 1 at least one not accepted, 2 at least one could not be checked.`;

function optionsFrom(words) {
  const options = { files: [], brand: 'svc', json: false };
  const rest = [...words];
  while (rest.length > 0) {
    const word = rest.shift();
    if (word === '--') {
      options.files.push(...rest.splice(0));
    } else if (word === '--json' || word === '--help') {
      options[word.slice(2)] = true;
    } else if (/^--(keys|rotation|log|brand)(=|$)/.test(word)) {
      const cut = word.indexOf('=');
      const value = cut < 0 ? rest.shift() : word.slice(cut + 1);
      if (value === undefined) throw new Error(`${word} needs a value\n${USAGE}`);
      options[word.slice(2, cut < 0 ? undefined : cut)] = value;
    } else if (word.startsWith('-') && word !== '-') {
      throw new Error(`unknown option ${word}\n${USAGE}`);
    } else {
      options.files.push(word);
    }
  }
  if (options.files.length === 0 && !options.help) throw new Error(`no file given\n${USAGE}`);
  return options;
}

/** What the checks prove, and what they do not prove, as sentences for people. */
function explain(verdict, options) {
  const outcome = (name) => verdict.checks.find((check) => check.name === name)?.ok;
  const all = (...names) => names.every((name) => outcome(name) === true);
  const proven = [];
  const unproven = [];
  const add = (holds, yes, no) => (holds ? proven : unproven).push(holds ? yes : no);
  add(
    all('parse', 'digest', 'signature form', 'signature members', 'signing time', 'thumbprint', 'message', 'signature'),
    'the document has not been changed since it was signed with the key it names',
    'that the document has not been changed since it was signed',
  );
  add(
    all('key published', 'key purpose', 'key window'),
    'that key is published for documents of this kind and was in use at signed_at',
    options.keys === undefined
      ? 'whose key that is (use --keys to check it against the published keys)'
      : 'that the key may sign this document',
  );
  if (verdict.checks.some((check) => ['leaf', 'log', 'head'].includes(check.name))) {
    const placed = all('leaf', 'place', 'inclusion', 'head: digest', 'head: signature', 'head: sums');
    const known = all('head: key published', 'head: key purpose', 'head: key window');
    add(
      placed && (known || options.keys === undefined),
      known
        ? 'the decision is in the batch of the log whose signed head the document contains'
        : 'the decision is in the batch whose head the document contains (who signed that head is unknown)',
      'that the decision is in the log',
    );
  }
  if (options.log !== undefined) {
    add(
      all('log head', 'chain', 'consistency'),
      'the log has the same head and has only grown since',
      'that the log has the same head and has only grown since',
    );
  } else if (outcome('inclusion') !== undefined) {
    unproven.push('that everybody sees the same log (use --log to check against a copy)');
  }
  if (verdict.checks.some(({ name, detail }) => name === 'head time' && detail.includes(LONG_BEFORE))) {
    unproven.push('that the decision was logged when the answer was made: its head is older (see head time)');
  }
  if (verdict.checks.some(({ name, detail }) => name === 'head time' && detail.includes(LONG_AFTER))) {
    unproven.push('when the answer was made: the log dates it more than a day later (see head time)');
  }
  unproven.push('that its statements are true: a signature only proves who made them');
  return { proven, unproven };
}

/** Replaces characters that could control the terminal. */
const withoutControls = (text) =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');

const WORDS = { accepted: 'accepted', incomplete: 'not fully checked', refused: 'refused' };

function show(file, verdict, options) {
  const lines = [`${file}: ${WORDS[conclusionOf(verdict.checks)]} (${withoutControls(verdict.kind ?? 'no kind')})`];
  for (const { name, ok, detail } of verdict.checks) {
    const word = ok === true ? 'ok' : ok === false ? 'failed' : ok;
    lines.push(`  ${word.padEnd(11)}  ${name}: ${withoutControls(detail)}`);
  }
  const { proven, unproven } = explain(verdict, options);
  lines.push(proven.length > 0 ? '  Proven:' : '  Proven: nothing.', ...proven.map((line) => `    - ${line}`));
  lines.push('  Not proven:', ...unproven.map((line) => `    - ${line}`));
  return lines.join('\n');
}

async function main(words) {
  const options = optionsFrom(words);
  if (options.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const brand = new Brand(options.brand);
  const policy = await policyFrom(options, brand);
  const documents = [];
  for (const file of options.files) documents.push([file, await readWhole(file)]);
  let copy;
  if (options.log !== undefined && isUrl(options.log)) {
    const members = documents.map(([, bytes]) => attempt(() => parseStrict(bytes)).value);
    copy = await logByUrl(baseOf(options.log, '/api/v1/log'), members, policy, brand);
  } else if (options.log !== undefined) {
    copy = await logInFolder(options.log, policy, brand);
  }
  const verdicts = documents.map(([file, bytes]) => [file, verifyDocument(bytes, policy, brand, copy)]);
  const output = options.json
    ? JSON.stringify(
        verdicts.map(([file, verdict]) => ({ file, conclusion: conclusionOf(verdict.checks), verdict })),
        null,
        2,
      )
    : verdicts.map(([file, verdict]) => show(file, verdict, options)).join('\n');
  process.stdout.write(`${output}\n`);
  return verdicts.every(([, verdict]) => conclusionOf(verdict.checks) === 'accepted') ? 0 : 1;
}

const isMain = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isMain) {
  main(process.argv.slice(2)).then(
    (code) => {
      process.exitCode = code;
    },
    (error) => {
      process.stderr.write(`crawlcheck-verify: ${error.message}\n`);
      process.exitCode = 2;
    },
  );
}
