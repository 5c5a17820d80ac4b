#!/usr/bin/env node
// Checks what a Wayleave service signed, without trusting the service and without its program.
//
//   node crawlcheck-verify.mjs answer.json [more.json …]
//        [--keys FILE|URL] [--rotation FILE] [--log DIR|URL] [--brand NAME] [--json]
//
// One file, no dependencies, Node 20 or later. Exit codes: 0 every document is accepted, 1 one is
// not (refused, or not fully checked), 2 one could not be looked at.
//
// Written apart from the service's own `wayleave verify`, with the same checks under the same names,
// so that each can be held against the other. Nothing a document says of itself is believed: digest,
// message and leaf are made again from its members, and a key counts only if it is published.
// The network is touched for `--keys URL` and `--log URL` alone.

import { createHash, createPublicKey, verify as cryptoVerify } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// ---------------------------------------------------------------------------------------------
// Strict JSON: what is ambiguous to somebody is refused.
// Objects become Maps (a member may be called `__proto__`), whole numbers become numbers, and a
// number written with a point or an exponent becomes a Double: 1.0 is the same value as 1 in the
// digest, but it is not how a version or an index is written.

export const MAX_DEPTH = 128;

export class Double {
  constructor(value) {
    this.value = value;
  }
}

export class NotStrict extends Error {}

/** Reads one JSON value and nothing after it, from bytes. */
export function parseStrict(bytes) {
  let text;
  try {
    // A byte order mark is kept, so that it is refused like any other letter in its place.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NotStrict('not strict JSON: not UTF-8');
  }
  const reader = new Reader(text);
  reader.skipSpace();
  const value = reader.value(0);
  reader.skipSpace();
  if (reader.at < text.length) reader.fail('something follows the value');
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
    return this.fail(letter === undefined ? 'it ends where a value is expected' : 'expected a value');
  }

  deeper(depth) {
    if (depth >= MAX_DEPTH) this.fail('nested too deep');
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
      if (this.text[this.at] !== '"') this.fail('expected the name of a member');
      const name = this.string();
      this.skipSpace();
      if (!this.eat(':')) this.fail('expected a colon');
      this.skipSpace();
      const value = this.value(below);
      if (members.has(name)) this.fail('a member of this name was before', nameAt);
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
      if (this.at >= this.text.length) this.fail('a string without end');
      if (this.eat('"')) return text;
      if (!this.eat('\\')) this.fail('a control character inside a string');
      text += this.escape();
    }
  }

  escape() {
    const letter = this.text[this.at];
    if (letter === 'u') {
      this.at += 1;
      return this.unicodeEscape();
    }
    if (letter === undefined || !Object.hasOwn(ESCAPES, letter)) this.fail('an unknown escape');
    this.at += 1;
    return ESCAPES[letter];
  }

  unicodeEscape() {
    const unit = this.fourHex();
    if (unit >= 0xdc00 && unit <= 0xdfff) this.fail('half a surrogate pair');
    if (unit < 0xd800 || unit > 0xdbff) return String.fromCharCode(unit);
    if (!this.eat('\\') || !this.eat('u')) this.fail('half a surrogate pair');
    const low = this.fourHex();
    if (low < 0xdc00 || low > 0xdfff) this.fail('half a surrogate pair');
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
    // What the pattern left standing tells of a number that broke off.
    const next = this.text[this.at];
    if (next === '.' && found[1] === undefined && found[2] === undefined) this.fail('expected a digit');
    if ((next === 'e' || next === 'E') && found[2] === undefined) this.fail('expected a digit');
    const value = Number(found[0]);
    if (found[1] === undefined && found[2] === undefined) {
      if (!Number.isSafeInteger(value)) this.fail('a whole number beyond 2^53 - 1', from);
      return value === 0 ? 0 : value;
    }
    if (!Number.isFinite(value)) this.fail('a number too large for a double', from);
    return new Double(value);
  }
}

// Looking into values.
const get = (value, name) => (value instanceof Map ? value.get(name) : undefined);
const textOf = (value, name) => {
  const found = get(value, name);
  return typeof found === 'string' ? found : undefined;
};
/** A whole number that is not negative, written as one. */
const countOf = (value, name) => {
  const found = get(value, name);
  return typeof found === 'number' && found >= 0 ? found : undefined;
};

// ---------------------------------------------------------------------------------------------
// RFC 8785. ECMAScript's own notation of numbers and strings is what that RFC prescribes, and
// sorting by UTF-16 units is how JavaScript compares.

const SEAL_MEMBERS = ['sha256', 'signature'];

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
// again; digests are Buffers inside and 64 lower-case hex digits outside.

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

/** Whether `leaf` stands at `index` of the tree of `size` leaves with this root (2.1.3.2). */
export function verifyInclusion(leaf, index, size, path, root) {
  if (index >= size) return false;
  let at = BigInt(index);
  let last = BigInt(size) - 1n;
  let hash = leaf;
  for (const sibling of path) {
    if (last === 0n) return false;
    if (at % 2n === 1n || at === last) {
      hash = nodeHash(sibling, hash);
      // Levels on which the node had no sibling are passed over.
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

/** Whether the tree of `newSize` leaves begins with the whole tree of `oldSize` (2.1.4.2). */
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

/** The root over leaves that come one by one: the complete subtrees so far, largest first. */
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
// Ed25519 by the strict rule: canonical encodings of the key and of R, S below the group order,
// and neither of them a point of small order. Libraries differ in how much of this they demand.

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

/** Why these 32 bytes are no point that is taken for a key or an R; nothing when they are. */
function pointTrouble(bytes) {
  const y = littleEndian(bytes) & (2n ** 255n - 1n);
  if (y >= PRIME) return 'its encoding is not canonical';
  if (SMALL_ORDER_Y.includes(y)) return 'it is a point of small order';
  return undefined;
}

/** Whether these are key and signature by the strict rule. All three are bytes. */
export function strictEd25519(key, message, signature) {
  if (key.length !== 32 || signature.length !== 64) return false;
  if (pointTrouble(key) || pointTrouble(signature.subarray(0, 32))) return false;
  if (littleEndian(signature.subarray(32)) >= ORDER) return false;
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') };
    return cryptoVerify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
  } catch {
    return false;
  }
}

/** Bytes of base64url without padding; nothing when it is written in any other way. */
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
  const trouble = pointTrouble(bytes);
  if (trouble) throw new Error(`key refused: ${trouble}`);
  const kid = sha256(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).toString('base64url');
  return { bytes, kid };
}

function keyFromJwk(jwk) {
  if (textOf(jwk, 'kty') !== 'OKP' || textOf(jwk, 'crv') !== 'Ed25519') {
    throw new Error('key refused: it is not of type OKP and curve Ed25519');
  }
  const x = textOf(jwk, 'x');
  if (x === undefined) throw new Error('key refused: it has no x');
  return keyFromX(x);
}

// ---------------------------------------------------------------------------------------------
// Moments: `YYYY-MM-DDTHH:MM:SS[.fff]Z`, as milliseconds since 1970.

const MOMENT = /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?Z$/;
const FIRST_MOMENT = -62167219200000;
const LAST_MOMENT = 253402300799999;

export function moment(text) {
  const found = typeof text === 'string' ? MOMENT.exec(text) : null;
  if (!found) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number);
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A day that does not exist runs over into another month.
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) {
    return undefined;
  }
  // A leap second is the last ordinary one; a fraction finer than a millisecond is cut.
  const seconds = hour * 3600 + minute * 60 + Math.min(second, 59);
  return date.getTime() + seconds * 1000 + Number((found[7] ?? '').padEnd(3, '0').slice(0, 3));
}

const written = (ms) => new Date(ms).toISOString().replace('.000Z', 'Z');

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

  /** Which key signs documents of this kind; nothing when it is no kind of ours. */
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
// The list of checks: `true`, `false` or 'not checked', each with what was found.

const NOT_CHECKED = 'not checked';

class Checks {
  constructor() {
    this.list = [];
    this.of = '';
  }

  push(name, ok, detail) {
    this.list.push({ name: this.of + name, ok, detail });
  }

  /** Passed with `good`, unless there is a `wrong`. */
  note(name, good, wrong) {
    if (wrong === undefined) this.push(name, true, good);
    else this.push(name, false, wrong);
  }
}

function conclusionOf(checks) {
  if (checks.some((check) => check.ok === false)) return 'refused';
  return checks.some((check) => check.ok === NOT_CHECKED) ? 'incomplete' : 'accepted';
}

const reasonOf = (work) => {
  try {
    return { value: work() };
  } catch (error) {
    return { why: error.message };
  }
};

// ---------------------------------------------------------------------------------------------
// Which keys are published, for what, and from when to when. An entry of the rotation record that
// cannot be understood refuses the whole: passed over, it would make a key look better than it is.

export class KeyPolicy {
  constructor(keys) {
    this.keys = keys;
  }

  static withoutDirectory() {
    return new KeyPolicy(undefined);
  }

  static fromDirectory(directory, rotation, brand) {
    const keys = new Map();
    const listed = get(directory, 'keys');
    if (!Array.isArray(listed)) throw directoryRefused('it has no list of keys');
    for (const jwk of listed) {
      if (textOf(jwk, 'crv') !== 'Ed25519') continue;
      const { kid } = keyFromJwk(jwk);
      if (textOf(jwk, 'kid') !== undefined && textOf(jwk, 'kid') !== kid) {
        throw directoryRefused('a kid is not the thumbprint of its key');
      }
      if (keys.has(kid)) throw directoryRefused('it lists a key twice');
      const purpose = purposeIn(jwk, brand.member('purpose'));
      keys.set(kid, { purpose, from: startIn(jwk, brand, 'nbf') });
    }
    if (rotation !== undefined) addRotation(keys, rotation, brand);
    return new KeyPolicy(keys);
  }

  check(kid, purpose, signedAt, checks) {
    if (this.keys === undefined) {
      checks.push(
        'key published',
        NOT_CHECKED,
        'no directory was given: whoever made this document had the key it names, but whose key that is was not checked',
      );
      return;
    }
    const key = this.keys.get(kid);
    checks.note(
      'key published',
      `found by its thumbprint ${kid}`,
      key ? undefined : `no directory entry or retired key has the thumbprint ${kid}`,
    );
    if (!key) return;
    checks.note('key purpose', `for ${key.purpose}`, misfit(key, purpose));
    checks.push('key window', ...windowOf(key, signedAt));
  }

  /** The key of a document that is only referred to, and was signed no later than `before`. */
  checkReference(kid, before, name, checks) {
    if (this.keys === undefined) {
      checks.push(name, NOT_CHECKED, 'no directory was given');
      return;
    }
    const key = this.keys.get(kid);
    let wrong;
    if (!key) wrong = `no directory entry or retired key has the thumbprint ${kid}`;
    else if (misfit(key, 'documents')) wrong = misfit(key, 'documents');
    else if (key.compromised !== undefined) wrong = 'this key is compromised';
    else if (key.from === undefined || before === undefined || key.from > before) {
      wrong = 'this key had not begun to sign';
    }
    checks.note(name, 'published, and for documents', wrong);
  }
}

const directoryRefused = (why) => new Error(`key directory refused: ${why}`);

/** Why the key is not for this purpose. */
function misfit(key, wanted) {
  if (key.purpose === undefined) return 'the key is published without a purpose';
  if (wanted === undefined) return 'no key is for documents of this kind';
  if (key.purpose === wanted) return undefined;
  return `the key is for ${key.purpose}, the document needs one for ${wanted}`;
}

function windowOf(key, at) {
  if (at === undefined) return [false, 'signed_at is absent or no timestamp'];
  if (key.compromised !== undefined) {
    return at >= key.compromised
      ? [false, `the key is compromised since ${written(key.compromised)}`]
      : [
          NOT_CHECKED,
          "the key was compromised later, and signed_at is the signer's word: by itself this proves nothing",
        ];
  }
  if (key.from === undefined) return [false, 'the key is published without a start'];
  if (at < key.from) return [false, `the key signs nothing before ${written(key.from)}`];
  if (key.stopped !== undefined && at > key.stopped) {
    return [false, `the key stopped signing at ${written(key.stopped)}`];
  }
  return [true, `signed at ${written(at)}, key in use from ${written(key.from)}`];
}

function addRotation(keys, rotation, brand) {
  for (const entry of entriesOf(rotation, 'retired')) {
    const stopped = momentIn(entry, 'stopped_signing_at');
    if (stopped === undefined) throw directoryRefused('a retired key has no end');
    const retired = { purpose: purposeIn(entry, 'purpose'), from: startIn(entry, brand, 'not_before') };
    // The directory says what a key is for; the end stands wherever it is said.
    const key = entryFor(keys, thumbprintOf(entry), retired);
    key.stopped = key.stopped === undefined ? stopped : Math.min(key.stopped, stopped);
  }
  for (const entry of entriesOf(rotation, 'compromised')) {
    const since = momentIn(entry, 'compromised_since');
    if (since === undefined) throw directoryRefused('a compromised key has no date');
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
  if (!Array.isArray(entries)) throw directoryRefused('the rotation record is not made of lists');
  return entries;
}

function thumbprintOf(entry) {
  const thumbprint = textOf(entry, 'thumbprint');
  if (thumbprint === undefined) {
    throw directoryRefused('a retired or compromised key has no thumbprint');
  }
  const x = textOf(entry, 'x');
  if (x !== undefined && keyFromX(x).kid !== thumbprint) {
    throw directoryRefused('a thumbprint is not that of its key');
  }
  return thumbprint;
}

const startIn = (entry, brand, common) =>
  momentIn(entry, brand.member('signs_from')) ?? momentIn(entry, common);

/** A moment in the interface's form, or in whole seconds since 1970 as JOSE writes it. */
function momentIn(entry, name) {
  const found = get(entry, name);
  if (found === undefined || found === null) return undefined;
  const read =
    typeof found === 'number'
      ? Math.min(Math.max(found * 1000, FIRST_MOMENT), LAST_MOMENT)
      : moment(found);
  if (read === undefined) throw directoryRefused(`${name} is no timestamp`);
  return read;
}

/** A word that is none of the four is no purpose of ours, not an error of the directory. */
function purposeIn(entry, name) {
  const word = get(entry, name);
  if (word === undefined) return undefined;
  if (typeof word !== 'string') throw directoryRefused(`${name} is not a word`);
  return PURPOSES.includes(word) ? word : undefined;
}

// ---------------------------------------------------------------------------------------------
// The checks every signed document has to pass: kind, digest, signature block, key.

function checkSeal(members, policy, brand, checks) {
  const kind = textOf(members, 'kind') ?? '';
  const purpose = brand.purposeOf(kind);
  checks.note(
    'kind',
    kind,
    purpose ? undefined : `a document signed here has a kind of the form ${brand.name}-word`,
  );
  const digest = checkDigest(members, checks);
  const block = get(members, 'signature');
  if (!(block instanceof Map)) {
    checks.push('signature', false, 'there is none');
    return;
  }
  const signedAt = moment(get(block, 'signed_at'));
  checkForm(block, checks);
  const key = checkKey(block, checks);
  if (key) {
    if (digest) checkSignature(block, key, digest, brand, checks);
    policy.check(key.kid, purpose, signedAt, checks);
  }
  if (purpose === 'decisions') checkAnswerKey(members, policy, signedAt, checks);
}

/** The digest made anew, also where it is not the one that is stated. */
function checkDigest(members, checks) {
  const { value: made, why } = reasonOf(() => sha256(canonical(members, SEAL_MEMBERS)));
  if (made === undefined) {
    checks.push('digest', false, why);
    return undefined;
  }
  const stated = textOf(members, 'sha256');
  let wrong;
  if (stated === undefined) wrong = 'it states none';
  else if (stated !== hex(made)) wrong = `it states ${stated}, its members give ${hex(made)}`;
  checks.note('digest', `sha256 ${hex(made)}`, wrong);
  return made;
}

function checkForm(block, checks) {
  let wrong;
  if (countOf(block, 'v') !== 1) wrong = 'v is not 1';
  else if (textOf(block, 'alg') !== 'Ed25519') wrong = 'alg is not Ed25519';
  else if (textOf(block, 'over') !== 'sha256') wrong = 'over is not sha256';
  checks.note('signature form', 'version 1, Ed25519, over sha256', wrong);
}

/** The key the document brings along, if it is the one that the document names. It stands in for
 *  the published one, because the thumbprint fixes the key. */
function checkKey(block, checks) {
  const brought = get(block, 'key');
  const jwk = get(brought, 'jwk');
  const { value: key, why } = reasonOf(() => {
    if (jwk === undefined) throw new Error('there is no key.jwk');
    const found = keyFromJwk(jwk);
    if (textOf(block, 'kid') !== found.kid || textOf(brought, 'kid') !== found.kid) {
      throw new Error(`kid is not the key's thumbprint ${found.kid}`);
    }
    return found;
  });
  checks.note('thumbprint', `kid ${key?.kid}`, why);
  return key;
}

function checkSignature(block, key, digest, brand, checks) {
  const message = `${brand.name}-data-v1\n${hex(digest)}`;
  checks.note(
    'message',
    'prefix and digest as they must be',
    textOf(block, 'message') === message
      ? undefined
      : 'signature.message is not the prefix and the digest of this document',
  );
  const signature = fromBase64url(textOf(block, 'sig'));
  let wrong;
  if (signature === undefined) wrong = 'sig is not base64url';
  else if (!strictEd25519(key.bytes, Buffer.from(message), signature)) {
    wrong = "it is not this key's signature over this document";
  }
  checks.note('signature', 'Ed25519 by the strict rule, over the digest made here', wrong);
}

/** A receipt leans on the answer it was made from, and so on that answer's key. */
function checkAnswerKey(members, policy, signedAt, checks) {
  const kid = textOf(get(members, 'resolve'), 'kid');
  if (kid === undefined) {
    checks.push("answer's key", false, 'a receipt names the answer it was made from (resolve.kid)');
  } else {
    policy.checkReference(kid, signedAt, "answer's key", checks);
  }
}

// ---------------------------------------------------------------------------------------------
// What of an answer is in the log, and whether it is there.

/** The decision content: what the answer decides, and nothing that changes with each serving. */
export function decisionContent(answer, brand) {
  const refused = (why) => new Error(`not a decision that can be logged: ${why}`);
  const required = (name) => {
    if (!answer.has(name)) throw refused(`it has no ${name}`);
    return answer.get(name);
  };
  const sortedTexts = (list, pick) => {
    if (list === undefined || list === null) return [];
    const texts = Array.isArray(list) ? list.map(pick) : [undefined];
    if (texts.some((text) => typeof text !== 'string')) {
      throw refused('a list of its decision holds what is not text');
    }
    return texts.sort(byUtf16);
  };
  const inner = (section, member) => get(get(answer, section), member) ?? null;
  const actions = get(answer, 'actions');
  if (!(actions instanceof Map)) throw refused('it has no actions');
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

/** What of a head the chain and the tree stand on; its own sums are checked. */
function readHead(head) {
  const refused = (why) => new Error(`tree head refused: ${why}`);
  const must = (name, value) => {
    if (value === undefined) throw refused(`${name} is absent or not of its form`);
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
    createdAt: must('created_at', moment(get(head, 'created_at'))),
    sha256: digest('sha256'),
  };
  if (read.batchSize === 0) throw refused('its batch is empty');
  // A sum beyond 2^53 is rounded, and still larger than any tree_size that can be read.
  if (read.firstIndex + read.batchSize !== read.treeSize) {
    throw refused('tree_size is not first_index plus batch_size');
  }
  const first = read.batch === 0;
  if (first !== (previous === null) || first !== (read.firstIndex === 0)) {
    throw refused('the first batch, and no other, has no head before it and begins at index 0');
  }
  return read;
}

function checkHead(head, brand, checks) {
  const { value: read, why } = reasonOf(() => readHead(head));
  const foreign = read && read.logId !== brand.logId;
  checks.note(
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
  const place = get(members, 'transparency');
  if (isAnswer && place instanceof Map) checkAnswer(members, place, policy, brand, checks);
  else if (isAnswer && place === undefined) {
    checks.push('log', NOT_CHECKED, 'this answer names no place in the log');
  } else if (isAnswer) checks.push('log', false, 'transparency is not an object');
  else if (place !== undefined) {
    checks.push('log', NOT_CHECKED, 'how a document of this kind is logged is not known here');
  }
}

const MERGE_MINUTES = 30;

function checkAnswer(answer, place, policy, brand, checks) {
  const leaf = reasonOf(() => decisionLeaf(answer, brand));
  if (textOf(place, 'state') !== 'included') {
    const minutes = countOf(place, 'merged_within_minutes');
    if (minutes >= 1 && minutes <= MERGE_MINUTES) {
      checks.push('log', NOT_CHECKED, 'promised to the log, not in it yet');
    } else {
      checks.push('log', false, `neither in the log nor promised within ${MERGE_MINUTES} minutes`);
    }
    return;
  }
  let wrong = leaf.why;
  if (leaf.value && !same(digestFrom(get(place, 'leaf_hash')), leaf.value)) {
    wrong = `leaf_hash is not that of this decision, ${hex(leaf.value)}`;
  }
  checks.note('leaf', `leaf ${leaf.value && hex(leaf.value)}`, wrong);
  const sth = get(place, 'sth');
  if (!(sth instanceof Map)) {
    checks.push('head', false, 'there is no sth');
    return;
  }
  checks.of = 'head: ';
  if (textOf(sth, 'kind') !== brand.kind('log-sth')) {
    checks.push('kind of head', false, 'sth is not a tree head');
  }
  checkSeal(sth, policy, brand, checks);
  const head = checkHead(sth, brand, checks);
  checks.of = '';
  if (head && leaf.value) checkPlace(place, head, leaf.value, checks);
}

/** What the answer says of its place agrees with the head, and the path leads there. */
function checkPlace(place, head, leaf, checks) {
  const stated = countOf(place, 'index');
  const index = stated < head.batchSize ? stated : undefined;
  let wrong;
  if (textOf(place, 'log_id') !== head.logId) wrong = "log_id is not the head's";
  else if (countOf(place, 'batch') !== head.batch) wrong = "batch is not the head's";
  else if (countOf(place, 'batch_size') !== head.batchSize) wrong = "batch_size is not the head's";
  else if (index === undefined) wrong = 'index is not inside the batch';
  else if (place.has('log_index') && countOf(place, 'log_index') !== head.firstIndex + index) {
    wrong = 'log_index is not first_index plus index';
  }
  checks.note('place', 'batch, size and index agree with the head', wrong);
  const path = digestsFrom(get(place, 'path'));
  const leads =
    path !== undefined &&
    index !== undefined &&
    verifyInclusion(leaf, index, head.batchSize, path, head.batchRoot);
  checks.note(
    'inclusion',
    "the path leads to the batch's root",
    leads ? undefined : "the path does not lead to the batch's root",
  );
}

/** A list of hex digests; nothing when it is not one. */
function digestsFrom(list) {
  const digests = Array.isArray(list) ? list.map(digestFrom) : [undefined];
  return digests.includes(undefined) ? undefined : digests;
}

// ---------------------------------------------------------------------------------------------
// A copy of the log, and a document against it.

/** The most heads and leaves that are looked at; more is not a log somebody checks by hand. */
const MAX_HEADS = 1_000_000;
const MAX_HEADS_BY_URL = 100_000;
const MAX_LEAVES = 100_000_000;
const TILE_WIDTH = 256;

/** The heads of a log by their place, the first of them that of batch `first`. Each is checked
 *  when it is added: alone, and as the one that follows. */
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

  /** Adds the head that stands at the next place: bytes as they were read, or a value. */
  push(found) {
    this.list.push(this.look(found, this.end));
  }

  /** Says that what the log tells of its newest head and what it lists as such differ. */
  contradictNewest() {
    const why = `batch ${this.end - 1}: the log names one newest head and lists another`;
    if (this.newest) Object.assign(this.newest, { ok: false, why });
  }

  look(found, batch) {
    const failed = (why) => ({ ok: false, why: `batch ${batch}: ${why}` });
    const { value, why } = reasonOf(() => (Buffer.isBuffer(found) ? parseStrict(found) : found));
    if (why !== undefined) return failed(why);
    if (!(value instanceof Map)) return failed('there is no head');
    if (textOf(value, 'kind') !== this.brand.kind('log-sth')) return failed('it is not a tree head');
    const checks = new Checks();
    checkSeal(value, this.policy, this.brand, checks);
    const head = checkHead(value, this.brand, checks);
    if (head && get(value, 'tree_root') !== undefined) {
      head.treeRoot = digestFrom(get(value, 'tree_root'));
      checks.note('tree_root', '', head.treeRoot ? undefined : 'it is not a digest');
    }
    const telling = (ok) => checks.list.find((check) => check.ok === ok);
    const bad = telling(false) ?? telling(NOT_CHECKED);
    const seen = { head, ok: bad?.ok ?? true, why: bad && `batch ${batch}: ${bad.name}: ${bad.detail}` };
    if (seen.ok === false) return seen;
    if (head.batch !== batch) {
      return { ...seen, ...failed(`the head that stands here is that of batch ${head.batch}`) };
    }
    return seen;
  }

  /** Why the head of this batch does not follow the one before it, which is at hand. */
  brokenLink(batch) {
    const [before, next] = [this.at(batch - 1)?.head, this.at(batch)?.head];
    const broken = (why) => `batch ${batch}: ${why}`;
    if (!before || !next) return broken('there is no head to link');
    if (before.logId !== next.logId) return broken('it is of another log');
    if (before.batch + 1 !== next.batch) {
      return broken('its number does not follow that of the head before');
    }
    if (next.firstIndex !== before.treeSize) {
      return broken('first_index is not the tree_size of the head before');
    }
    if (next.previous === null || !same(next.previous, before.sha256)) {
      return broken('prev_sth_sha256 is not the sha256 of the head before');
    }
    if (next.createdAt < before.createdAt) return broken('it is older than the head before');
    return undefined;
  }

  /** The chain from this batch to the newest: what it is, and why. */
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
    return [true, `${this.end - batch} heads, from batch ${batch} to batch ${this.end - 1}, are one chain`];
  }

  /** The leaves there are by the heads, or why the heads do not say. */
  treeSize() {
    for (let at = this.first; at < this.end; at += 1) {
      const { head, why } = this.at(at);
      if (!head) throw new Error(why);
      if (head.firstIndex !== (at === 0 ? 0 : this.at(at - 1).head.treeSize)) {
        throw new Error(`batch ${at}: first_index is not the tree_size of the head before`);
      }
    }
    return this.newest?.head.treeSize ?? 0;
  }
}

/** Leaf by leaf through a log from its beginning: every head's two roots are made again. */
class LeafWalk {
  constructor(heads) {
    Object.assign(this, { heads, at: 0, whole: new Frontier(), batch: new Frontier(), last: undefined });
    const { value, why } = reasonOf(() => heads.treeSize());
    this.size = value ?? 0;
    this.trouble = why;
    this.rootless = undefined;
  }

  /** How many of a tile's hashes belong to the tree. */
  width(tile) {
    return Math.min(TILE_WIDTH, this.size - tile * TILE_WIDTH);
  }

  tile(bytes, tile) {
    const width = this.width(tile);
    if (bytes === undefined || bytes.length !== width * 32) {
      this.trouble ??= `tile ${tile} of level 0 is not there with ${width} hashes`;
    }
    for (let n = 0; n < width && this.trouble === undefined; n += 1) {
      this.leaf(bytes.subarray(32 * n, 32 * n + 32));
    }
  }

  leaf(leaf) {
    const { head } = this.heads.at(this.at);
    if (this.last && Buffer.compare(this.last, leaf) >= 0) {
      this.trouble = `batch ${this.at}: its leaves do not stand in ascending order`;
      return;
    }
    this.last = leaf;
    this.whole.push(leaf);
    this.batch.push(leaf);
    this.count = (this.count ?? 0) + 1;
    if (this.count < head.treeSize) return;
    if (!same(this.batch.root(), head.batchRoot)) {
      this.trouble = `batch ${this.at}: its leaves do not give its batch_root`;
    } else if (head.treeRoot === undefined) {
      this.rootless ??= `batch ${this.at}: its head has no tree_root`;
    } else if (!same(this.whole.root(), head.treeRoot)) {
      this.trouble = `batch ${this.at}: all leaves up to it do not give its tree_root`;
    }
    this.at += 1;
    this.batch = new Frontier();
    this.last = undefined;
  }

  outcome() {
    if (this.trouble !== undefined) return [false, this.trouble];
    if (this.rootless !== undefined) return [NOT_CHECKED, this.rootless];
    return [true, `${this.size} leaves give both roots of all ${this.heads.end} heads`];
  }
}

/** The head a document stands on: an answer's, or the document itself. */
function headNamedBy(members, brand) {
  const kind = textOf(members, 'kind');
  const place = get(members, 'transparency');
  if (kind === brand.kind('log-sth')) return members;
  if (kind !== brand.kind('resolve') || textOf(place, 'state') !== 'included') return undefined;
  const sth = get(place, 'sth');
  return sth instanceof Map ? sth : undefined;
}

/** The document's head against a copy of the log. */
function checkAgainstLog(members, copy, brand, checks) {
  const named = headNamedBy(members, brand);
  if (named === undefined) {
    checks.push('log head', NOT_CHECKED, 'this document names no head of the log');
    return;
  }
  const { value: head, why } = reasonOf(() => readHead(named));
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
      `the log as it was read ${end}: this copy is older than the document, or the log was cut back`,
    );
    return;
  }
  const theirs = heads.at(head.batch)?.head;
  checks.note(
    'log head',
    `batch ${head.batch} has this very head in the log`,
    same(theirs?.sha256, head.sha256) ? undefined : `batch ${head.batch} has another head in the log`,
  );
  checks.push('chain', ...heads.chainFrom(head.batch));
  checks.push('consistency', ...copy.grown(head));
}

/** How the consistency of one head with the newest is told from a proof the log gave. */
function byProof(head, newest, proofs) {
  if (head.treeRoot === undefined || newest?.treeRoot === undefined) {
    return [NOT_CHECKED, 'a head without tree_root cannot be compared'];
  }
  const [from, to] = [head.treeSize, newest.treeSize];
  const proof = from === to ? { path: [] } : proofs.get(from);
  if (proof === undefined) return [false, `the log gave no proof from ${from} to ${to} leaves`];
  if (proof.why !== undefined) return [false, proof.why];
  return verifyConsistency(from, to, head.treeRoot, newest.treeRoot, proof.path)
    ? [true, `the tree of ${to} leaves begins with the tree of ${from}`]
    : [false, `the tree of ${to} leaves is not shown to begin with the tree of ${from}`];
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
  for (let tile = 0; tile * TILE_WIDTH < walk.size && walk.trouble === undefined; tile += 1) {
    const width = walk.width(tile);
    const whole = join(folder, 'tile', '0', tilePath(tile));
    let bytes = width < TILE_WIDTH ? await readBounded(`${whole}.p/${width}`, 8192) : undefined;
    // A log that has grown since may have the whole tile only.
    bytes ??= (await readBounded(whole, 8192))?.subarray(0, 32 * width);
    walk.tile(bytes, tile);
  }
  const outcome = walk.outcome();
  return { heads, grown: () => outcome };
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
  const ask = async (path) => parseStrict(await fetchBounded(`${base}/api/v1/log${path}`));
  const latest = get(await ask(''), 'head');
  const { value: newest, why } = reasonOf(() => readHead(latest));
  if (!newest) throw new Error(`${base}/api/v1/log names no newest head: ${why}`);
  const wanted = documents
    .map((members) => reasonOf(() => readHead(headNamedBy(members, brand))).value)
    .filter((head) => head !== undefined && head.batch <= newest.batch);
  const first = wanted.reduce((least, head) => Math.min(least, head.batch), newest.batch);
  if (newest.batch - first >= MAX_HEADS_BY_URL) {
    throw new Error(`more than ${MAX_HEADS_BY_URL} heads lie between: export the log and use --log DIR`);
  }
  const found = [];
  for (let to = newest.batch; to >= first; ) {
    const count = Math.min(200, to - first + 1);
    const page = get(await ask(`/sths?to=${to}&n=${count}`), 'sths');
    const listed = Array.isArray(page) ? page : [];
    for (let n = 0; n < count; n += 1) found.push(listed[n]);
    to -= count;
  }
  const heads = new LogHeads(policy, brand, first);
  for (const head of found.reverse()) heads.push(head);
  if (!same(heads.newest?.head?.sha256, newest.sha256)) heads.contradictNewest();
  const proofs = new Map();
  for (const { treeSize } of wanted) {
    if (treeSize >= newest.treeSize || proofs.has(treeSize)) continue;
    const path = digestsFrom(get(await ask(`/consistency?from=${treeSize}&to=${newest.treeSize}`), 'proof'));
    proofs.set(treeSize, path ? { path } : { why: 'the proof of the log is not a list of digests' });
  }
  return { heads, grown: (head) => byProof(head, heads.newest?.head, proofs) };
}

// ---------------------------------------------------------------------------------------------
// A document, whole.

/** Every check of a document, from its bytes. `copy` is a copy of the log, if there is one. */
export function verifyDocument(bytes, policy, brand, copy) {
  const checks = new Checks();
  const { value: document, why } = reasonOf(() => parseStrict(bytes));
  checks.note('parse', 'read without ambiguity', why);
  if (document instanceof Map) {
    checkSeal(document, policy, brand, checks);
    checkLogged(document, policy, brand, checks);
    if (copy) checkAgainstLog(document, copy, brand, checks);
  } else {
    checks.push('document', false, 'it is not a JSON object');
  }
  return {
    kind: textOf(document, 'kind') ?? null,
    sha256: textOf(document, 'sha256') ?? null,
    kid: textOf(get(document, 'signature'), 'kid') ?? null,
    checks: checks.list,
  };
}

// ---------------------------------------------------------------------------------------------
// Files and the network, bounded.

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const PATIENCE_MS = 60_000;
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

/** The bytes of a file of a log; nothing when there is none. */
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
      signal: AbortSignal.timeout(PATIENCE_MS),
      headers: { accept: 'application/json, */*;q=0.5' },
    });
    if (response.status !== 200) throw new Error(`it answered ${response.status}`);
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
    const { value, why } = reasonOf(() => parseStrict(read[n]));
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
  --keys FILE|URL   the key directory, or the address of a service (its two well-known addresses are read)
  --rotation FILE   the rotation record, when the directory is a file
  --log DIR|URL     an exported log, or the address of a service
  --brand NAME      the brand the documents are signed under (svc)
  --json            every check, as JSON

Exit codes: 0 every file is accepted, 1 one is not, 2 one could not be looked at.`;

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
      throw new Error(`${word} is not known\n${USAGE}`);
    } else {
      options.files.push(word);
    }
  }
  if (options.files.length === 0 && !options.help) throw new Error(`no file was named\n${USAGE}`);
  return options;
}

/** What the outcomes mean, for people: what is proven now, and what is not. */
function inPlainWords(verdict, options) {
  const outcome = (name) => verdict.checks.find((check) => check.name === name)?.ok;
  const all = (...names) => names.every((name) => outcome(name) === true);
  const proven = [];
  const open_ = [];
  const tell = (held, yes, no) => (held ? proven : open_).push(held ? yes : no);
  tell(
    all('parse', 'digest', 'signature form', 'thumbprint', 'message', 'signature'),
    'not a letter was changed since it was signed with the key it names',
    'that the document is as it was when it was signed',
  );
  tell(
    all('key published', 'key purpose', 'key window'),
    'that key is published, is for documents of this kind, and was in use when it says it signed',
    options.keys === undefined
      ? 'whose key that is (--keys names the published ones)'
      : 'that the key is one that may sign this document',
  );
  if (verdict.checks.some((check) => ['leaf', 'log', 'head'].includes(check.name))) {
    const placed = all('leaf', 'place', 'inclusion', 'head: digest', 'head: signature', 'head: sums');
    const known = all('head: key published', 'head: key purpose', 'head: key window');
    tell(
      placed && (known || options.keys === undefined),
      known
        ? 'what it decides is in the batch of the log whose signed head it carries'
        : 'what it decides is in the batch whose head it carries, whoever signed that',
      'that what it decides is in the log',
    );
  }
  if (options.log !== undefined) {
    tell(
      all('log head', 'chain', 'consistency'),
      'the log has this very head, and has only grown since',
      'that the log has this head and only grew since',
    );
  } else if (outcome('inclusion') !== undefined) {
    open_.push('that everybody is shown the same log (--log holds it against a copy)');
  }
  open_.push('that what it says is true: a signature tells who said it');
  return { proven, open: open_ };
}

/** Nothing a document says may move the cursor or colour the terminal. */
const harmless = (text) =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');

const WORDS = { accepted: 'accepted', incomplete: 'not fully checked', refused: 'refused' };

function show(file, verdict, options) {
  const lines = [`${file}: ${WORDS[conclusionOf(verdict.checks)]} (${harmless(verdict.kind ?? 'no kind')})`];
  for (const { name, ok, detail } of verdict.checks) {
    const word = ok === true ? 'ok' : ok === false ? 'failed' : ok;
    lines.push(`  ${word.padEnd(11)}  ${name}: ${harmless(detail)}`);
  }
  const { proven, open: unproven } = inPlainWords(verdict, options);
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
    const members = documents.map(([, bytes]) => reasonOf(() => parseStrict(bytes)).value);
    copy = await logByUrl(baseOf(options.log, '/api/v1/log'), members, policy, brand);
  } else if (options.log !== undefined) {
    copy = await logInFolder(options.log, policy, brand);
  }
  const verdicts = documents.map(([file, bytes]) => [file, verifyDocument(bytes, policy, brand, copy)]);
  const told = options.json
    ? JSON.stringify(
        verdicts.map(([file, verdict]) => ({ file, conclusion: conclusionOf(verdict.checks), verdict })),
        null,
        2,
      )
    : verdicts.map(([file, verdict]) => show(file, verdict, options)).join('\n');
  process.stdout.write(`${told}\n`);
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
