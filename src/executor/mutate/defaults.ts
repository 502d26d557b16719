/** Computes the default values of new rows, except those of `increment`. */

import { type Steps, unreachable, type World } from '#base';
import type { Default } from '#catalog';
import { type Datum, IdentifierGenerator } from '#value';
import { type ChunkedColumn, openPiece } from '../batch/chunked-column.ts';
import { byteListBytes, objectBytes, slotBytes } from '../batch/memory-costs.ts';
import type { MutationContext } from './mutation-context.ts';

const identifierBytes = objectBytes + byteListBytes(16);

/** One generator for each world: identifiers are distinct and ascending across all programs. */
const generators = new WeakMap<World, IdentifierGenerator>();

/** Returns `count` default values: NULL without a default, and for `increment`, which is allocated later. */
export function* defaultValues(
  mutationContext: MutationContext,
  of: Default | undefined,
  count: number,
): Steps<ChunkedColumn> {
  mutationContext.hold(count * slotBytes);
  mutationContext.account();
  if (of?.kind === 'generator' && of.func !== 'now_ms' && of.func !== 'increment') {
    mutationContext.hold(count * identifierBytes);
  }
  const next = valueSource(mutationContext, of);
  const vector: ChunkedColumn = [[]];
  for (let i = 0; i < count; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    openPiece(vector).push(next());
  }
  return vector;
}

/**
 * Returns a function that computes the default value of one row after the other: NULL without a default, and for `increment`, which is allocated
 * later.
 */
export function valueSource(
  mutationContext: MutationContext,
  of: Default | undefined,
): () => Datum {
  const { world } = mutationContext.run.context;
  if (of === undefined) return noValue;
  if (of.kind === 'literal') return () => of.value;
  const { func } = of;
  switch (func) {
    case 'uuid_v4':
    case 'uuid_v7':
    case 'ulid':
    case 'xid': {
      const known = generatorOf(world);
      return () => known.next(func);
    }
    case 'now_ms': {
      const now = world.clock.unixMs();
      return () => now;
    }
    case 'increment':
      return noValue;
    default:
      return unreachable(func);
  }
}

const noValue = () => null;

function generatorOf(world: World): IdentifierGenerator {
  let generator = generators.get(world);
  if (generator === undefined) {
    generator = new IdentifierGenerator(world.clock, world.random);
    generators.set(world, generator);
  }
  return generator;
}
