/** Default values of rows in the making, except `increment`. */

import { unreachable, type World } from '#base';
import type { Default } from '#catalog';
import { type Datum, type IdentifierFunction, IdentifierGenerator } from '#value';
import { openPiece, type Pieces } from '../batch/pieces.ts';
import { byteListBytes, objectBytes, slotBytes } from '../batch/prices.ts';
import type { Steps } from '../steps.ts';
import type { Writing } from './writing.ts';

const identifierBytes = objectBytes + byteListBytes(16);

/** One generator a world: identifiers are distinct and ascending over all programs. */
const generators = new WeakMap<World, IdentifierGenerator>();

/** `count` values of a default; NULL without one, and for `increment`, which is allocated later. */
export function* defaultValues(
  writing: Writing,
  of: Default | undefined,
  count: number,
): Steps<Pieces> {
  const { world } = writing.run.context;
  writing.hold(count * slotBytes);
  writing.account();
  if (of === undefined) return yield* values(writing, count, () => null);
  if (of.kind === 'literal') return yield* values(writing, count, () => of.value);
  switch (of.func) {
    case 'uuid_v4':
    case 'uuid_v7':
    case 'ulid':
    case 'xid':
      return yield* identifiers(writing, of.func, count);
    case 'now_ms': {
      const now = world.clock.unixMs();
      return yield* values(writing, count, () => now);
    }
    case 'increment':
      return yield* values(writing, count, () => null);
    default:
      return unreachable(of.func);
  }
}

function* values(writing: Writing, count: number, next: () => Datum): Steps<Pieces> {
  const vector: Pieces = [[]];
  for (let i = 0; i < count; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    openPiece(vector).push(next());
  }
  return vector;
}

function identifiers(writing: Writing, func: IdentifierFunction, count: number): Steps<Pieces> {
  const { world } = writing.run.context;
  const known = generatorOf(world);
  writing.hold(count * identifierBytes);
  return values(writing, count, () => known.next(func));
}

function generatorOf(world: World): IdentifierGenerator {
  let generator = generators.get(world);
  if (generator === undefined) {
    generator = new IdentifierGenerator(world.clock, world.random);
    generators.set(world, generator);
  }
  return generator;
}
