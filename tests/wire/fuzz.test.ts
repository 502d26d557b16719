/** Whatever is done to a document: the check passes it or refuses it with a DatabaseError whose pointers resolve. */

import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { DatabaseError } from '#failure';
import { resolvePointer } from '#lir';
import { checkEnvelope } from '#pir';
import { ExactNumber } from '#value';
import { checkProgram, checkQuery, checkTableDefinition } from '#wire';
import { fullProgram, fullQuery, fullTable } from './samples.ts';

type Container = Record<string | number, unknown>;

/** One change, made at a place that `where` chooses among all places of the document. */
interface Mutation {
  readonly where: number;
  readonly what: 'replace' | 'remove' | 'rename' | 'add' | 'repeat';
  readonly value: unknown;
  readonly name: string;
}

const oddName = fc.constantFrom('', 'kind', '__proto__', 'constructor', 'a/b', '~', '\ud800', 'x');
const oddValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  oddName,
  fc.constantFrom(
    'scan',
    'lit',
    'bytes',
    'missing',
    'f',
    's',
    -0,
    Number.POSITIVE_INFINITY,
    2n ** 64n,
    null,
  ),
  fc.constant(new ExactNumber('5.0')),
);
const mutation: fc.Arbitrary<Mutation> = fc.record({
  where: fc.nat(),
  what: fc.constantFrom('replace', 'remove', 'rename', 'add', 'repeat'),
  value: oddValue,
  name: oddName,
});

/** Every container of the document with each of its keys. */
function placesOf(document: unknown): [Container, string][] {
  const places: [Container, string][] = [];
  const open: unknown[] = [document];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (typeof part !== 'object' || part === null || part instanceof ExactNumber) continue;
    for (const [key, value] of Object.entries(part)) {
      places.push([part as Container, key]);
      open.push(value);
    }
  }
  return places;
}

/** Generated values stay untouched: a later change may happen inside the copy that this one put in. */
function mutate(document: unknown, { where, what, value, name }: Mutation): void {
  const places = placesOf(document);
  const place = places[where % Math.max(1, places.length)];
  if (place === undefined) return;
  const [container, key] = place;
  const fresh = value instanceof ExactNumber ? value : structuredClone(value);
  if (what === 'replace') define(container, key, fresh);
  else if (what === 'add') define(container, name, fresh);
  else if (what === 'repeat') define(container, name, structuredClone(container[key]));
  else remove(container, key);
  if (what === 'rename') define(container, name, fresh);
}

/** As JSON.parse makes members: `__proto__` is a member like any other. */
function define(container: Container, key: string, value: unknown): void {
  if (Array.isArray(container)) container.push(value);
  else {
    const member = { value, enumerable: true, writable: true, configurable: true };
    Object.defineProperty(container, key, member);
  }
}

function remove(container: Container, key: string): void {
  if (Array.isArray(container)) container.splice(Number(key), 1);
  else delete container[key];
}

/** Fails the test for anything but success and well-located refusals. */
function verify(document: unknown, check: (json: unknown) => unknown, prefix = ''): void {
  try {
    check(document);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { location, errors = [] } = error.failure;
    for (const { pointer } of [location ?? {}, ...errors.map((e) => e.location ?? {})]) {
      expect(pointer).toStartWith(prefix);
      const within = (pointer as string).slice(prefix.length);
      expect(resolvePointer(document, within)).not.toBeUndefined();
    }
    expect(errors.length).not.toBe(1);
    expect(errors.length).toBeLessThanOrEqual(16);
  }
}

const rules = { mode: 'direct' } as const;
const targets: readonly [string, () => unknown, (json: unknown) => unknown, string][] = [
  ['query', fullQuery, checkQuery, ''],
  ['program', fullProgram, (json) => checkEnvelope(checkProgram(json), rules), ''],
  ['table', fullTable, checkTableDefinition, '/body'],
];

test.each(targets)('a mutated %s', (_, sample, check, prefix) => {
  const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(mutations, (changes) => {
      const document = sample();
      for (const change of changes) mutate(document, change);
      verify(document, check, prefix);
    }),
    { numRuns: 400 },
  );
});

test.each(targets)('any JSON instead of a %s', (_, __, check, prefix) => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => verify(json, check, prefix)),
    { numRuns: 200 },
  );
});
