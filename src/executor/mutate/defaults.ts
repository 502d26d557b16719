/** Default values of rows in the making, except `increment`. */

import { unreachable, type World } from '#base';
import type { Default } from '#catalog';
import { type IdentifierFunction, IdentifierGenerator } from '#value';
import type { Vector } from '../batch/vector.ts';

/** One generator a world: identifiers are distinct and ascending over all programs. */
const generators = new WeakMap<World, IdentifierGenerator>();

/** `count` values of a default; NULL without one, and for `increment`, which is allocated later. */
export function defaultValues(of: Default | undefined, count: number, world: World): Vector {
  if (of === undefined) return new Array(count).fill(null);
  if (of.kind === 'literal') return new Array(count).fill(of.value);
  switch (of.func) {
    case 'uuid_v4':
    case 'uuid_v7':
    case 'ulid':
    case 'xid':
      return identifiers(of.func, count, world);
    case 'now_ms':
      return new Array(count).fill(world.clock.unixMs());
    case 'increment':
      return new Array(count).fill(null);
    default:
      return unreachable(of.func);
  }
}

function identifiers(func: IdentifierFunction, count: number, world: World): Vector {
  let generator = generators.get(world);
  if (generator === undefined) {
    generator = new IdentifierGenerator(world.clock, world.random);
    generators.set(world, generator);
  }
  const values: Vector = [];
  for (let i = 0; i < count; i++) values.push(generator.next(func));
  return values;
}
