/** Merges the executions of other processes on the same database into the models of this one. */

import { familyOfPart } from '#lir';
import type { Told } from '#statistics';
import type { Database } from './database.ts';
import { groundCheckOf } from './ground.ts';

/** Number of executions that are merged between two yields. */
const portion = 64;

/** Merges executions. Skips and counts families whose tables have changed. Yields to programs. */
export async function foldRelayed(database: Database, { families, frequency }: Told) {
  const { feedback, world } = database;
  let observations = 0;
  let staleFamilies = 0;
  for (const told of families) {
    if (!groundCheckOf(database.catalog)(told.ground)) {
      staleFamilies++;
      continue;
    }
    const relations = new Map<string, string>();
    const relationOf = (part: string) => {
      const known = relations.get(part) ?? familyOfPart(told.family, part);
      relations.set(part, known);
      return known;
    };
    for (let at = 0; at < told.executions.length; at += portion) {
      const executions = told.executions.slice(at, at + portion);
      feedback.absorb({ ...told, executions }, relationOf);
      observations += executions.length;
      await world.scheduler.yield();
    }
  }
  for (const appearance of frequency) feedback.absorbAppearance(appearance);
  return { observations, staleFamilies };
}
