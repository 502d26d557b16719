/** Draws mutations: the same seed draws the same ones from the same source. */

import { seededRandom } from '../support/seeded-random.ts';
import { editsOf } from './kinds/edits.ts';
import { type Edit, type Mutation, mutationOf } from './mutation.ts';
import type { TypeChecker } from './type-checker.ts';

/** Mutations of the files in random order. One that the type checker refuses in its own file is no mutation: it would never be committed. */
export async function* drawnMutations(
  checker: TypeChecker,
  files: readonly string[],
  seed: number,
): AsyncGenerator<Mutation, undefined> {
  const candidates: { readonly file: string; readonly text: string; readonly edit: Edit }[] = [];
  for (const file of files) {
    const source = await checker.sourceFile(file);
    for (const edit of editsOf(source)) candidates.push({ file, text: source.text, edit });
  }
  for (const { file, text, edit } of shuffled(candidates, seed)) {
    const mutation = mutationOf(file, text, edit);
    if (await checker.accepts(file, mutation.changed)) yield mutation;
  }
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = seededRandom(seed);
  const result = [...items];
  for (let left = result.length; left > 1; left--) {
    const at = Math.floor(random() * left);
    [result[left - 1], result[at]] = [result[at] as T, result[left - 1] as T];
  }
  return result;
}
