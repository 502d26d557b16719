/** Sets of public keys of an issuer (JWK sets, RFC 7517). */

import { type CryptoKey, importJWK } from 'jose';
import { parseBase64url } from './base64url.ts';
import type { TokenAlgorithm } from './rules.ts';
import { isObject, type JsonObject, memberOf, parseStrictObject } from './strict-json.ts';

export interface TokenKey {
  /** `undefined`: the set does not name the key. */
  readonly id: string | undefined;
  readonly algorithm: TokenAlgorithm;
  readonly publicKey: CryptoKey;
  /** The members that define the key. Equal keys have equal texts. */
  readonly text: string;
}

export class KeySet {
  /** A later set has a larger number. */
  readonly generation: number;
  readonly keys: readonly TokenKey[];

  constructor(generation: number, keys: readonly TokenKey[]) {
    this.generation = generation;
    this.keys = keys;
  }

  find(id: string): TokenKey | undefined {
    return this.keys.find((key) => key.id === id);
  }

  /** Returns the key for an algorithm, or `undefined` if there are several. */
  only(algorithm: TokenAlgorithm): TokenKey | undefined {
    const fitting = this.keys.filter((key) => key.algorithm === algorithm);
    return fitting.length === 1 ? fitting[0] : undefined;
  }

  includes(key: TokenKey): boolean {
    return this.keys.includes(key);
  }
}

/** A set that must not be used. Its message completes the sentence "the key set is refused: …". */
export class RefusedKeySet extends Error {}

export const keySetBytesMax = 1 << 20;
const keysMax = 64;
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'];

/**
 * Returns the keys that can verify tokens with one of the algorithms. Other keys are ignored. Keys that `previous` contains
 * are the same objects. Throws a `RefusedKeySet`.
 */
export async function parseKeys(
  bytes: Uint8Array,
  algorithms: ReadonlySet<TokenAlgorithm>,
  previous: readonly TokenKey[],
): Promise<TokenKey[]> {
  const found: TokenKey[] = [];
  for (const entry of entriesOf(bytes)) {
    const key = await readKey(entry, algorithms, previous);
    if (key === undefined) continue;
    if (key.id !== undefined && found.some(({ id }) => id === key.id)) {
      throw new RefusedKeySet('two keys have the same kid');
    }
    found.push(key);
  }
  return found;
}

function entriesOf(bytes: Uint8Array): readonly JsonObject[] {
  if (bytes.length > keySetBytesMax) throw new RefusedKeySet(`larger than ${keySetBytesMax} bytes`);
  const set = parseStrictObject(bytes);
  const entries = set && memberOf(set, 'keys');
  if (!Array.isArray(entries) || !entries.every(isObject)) {
    throw new RefusedKeySet('expected a JSON object with an array "keys" of objects');
  }
  if (entries.length > keysMax) throw new RefusedKeySet(`more than ${keysMax} keys`);
  if (entries.some((entry) => privateMembers.some((name) => Object.hasOwn(entry, name)))) {
    throw new RefusedKeySet('it contains a private key; publish the public keys only');
  }
  return entries;
}

async function readKey(
  entry: JsonObject,
  algorithms: ReadonlySet<TokenAlgorithm>,
  previous: readonly TokenKey[],
): Promise<TokenKey | undefined> {
  const kind = kinds.get(memberOf(entry, 'kty'));
  if (kind === undefined || !algorithms.has(kind.algorithm)) return undefined;
  const id = memberOf(entry, 'kid');
  if (id !== undefined && typeof id !== 'string') return undefined;
  const isUsable = isForVerification(entry, kind) && kind.isStrong(entry);
  const members = isUsable ? membersOf(entry, kind) : undefined;
  if (members === undefined) return undefined;
  const { algorithm } = kind;
  const text = JSON.stringify(members);
  const same = previous.find((key) => key.text === text && key.id === id);
  if (same !== undefined) return same;
  try {
    return { id, algorithm, text, publicKey: (await importJWK(members, algorithm)) as CryptoKey };
  } catch {
    return undefined;
  }
}

interface KeyKind {
  readonly algorithm: TokenAlgorithm;
  /** Values of the member `alg` that permit the algorithm. */
  readonly names: readonly unknown[];
  readonly members: readonly string[];
  isStrong(entry: JsonObject): boolean;
}

const kinds: ReadonlyMap<unknown, KeyKind> = new Map([
  [
    'RSA',
    {
      algorithm: 'RS256',
      names: ['RS256'],
      members: ['n', 'e'],
      isStrong: (entry) => isModulus(bytesOf(entry, 'n')) && isExponent(bytesOf(entry, 'e')),
    },
  ],
  [
    'EC',
    {
      algorithm: 'ES256',
      names: ['ES256'],
      members: ['crv', 'x', 'y'],
      isStrong: (entry) => memberOf(entry, 'crv') === 'P-256',
    },
  ],
  [
    'OKP',
    {
      algorithm: 'EdDSA',
      // The second name is that of RFC 9864.
      names: ['EdDSA', 'Ed25519'],
      members: ['crv', 'x'],
      isStrong: (entry) => memberOf(entry, 'crv') === 'Ed25519',
    },
  ],
] satisfies [string, KeyKind][]);

function isForVerification(entry: JsonObject, { names }: KeyKind): boolean {
  const use = memberOf(entry, 'use');
  const operations = memberOf(entry, 'key_ops');
  const algorithm = memberOf(entry, 'alg');
  return (
    (use === undefined || use === 'sig') &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify'))) &&
    (algorithm === undefined || names.includes(algorithm))
  );
}

/** Returns only the members that define the key, so that no other member has an effect on it. */
function membersOf(entry: JsonObject, kind: KeyKind): Record<string, string> | undefined {
  const members: Record<string, string> = { kty: memberOf(entry, 'kty') as string };
  for (const name of kind.members) {
    const value = memberOf(entry, name);
    if (typeof value !== 'string') return undefined;
    members[name] = value;
  }
  return members;
}

function bytesOf(entry: JsonObject, name: string): Uint8Array | undefined {
  const value = memberOf(entry, name);
  return typeof value === 'string' ? parseBase64url(value) : undefined;
}

const modulusBitsMin = 2048;
const modulusBitsMax = 8192;

function isModulus(modulus: Uint8Array | undefined): boolean {
  if (modulus === undefined) return false;
  const first = modulus.findIndex((byte) => byte !== 0);
  if (first < 0) return false;
  const bits = (modulus.length - first) * 8 - Math.clz32(modulus[first] as number) + 24;
  return bits >= modulusBitsMin && bits <= modulusBitsMax;
}

/** Refuses 1, with which anyone can write signatures, and even numbers. */
function isExponent(exponent: Uint8Array | undefined): boolean {
  if (exponent === undefined || exponent.length > 4) return false;
  const value = exponent.reduce((sum, byte) => sum * 256 + byte, 0);
  return value >= 3 && value % 2 === 1;
}
