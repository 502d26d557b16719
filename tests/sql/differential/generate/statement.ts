/** One generated statement with the values of its parameters. */

import type { Choices } from '../../../generative/choices.ts';
import { query } from './query.ts';
import { type Deviation, Words } from './words.ts';
import { write } from './write.ts';

export interface Statement {
  readonly text: string;
  readonly parameters: readonly (string | null)[];
  readonly isOrdered: boolean;
  /** The table that the statement changes. */
  readonly changes?: string | undefined;
  readonly deviations: ReadonlySet<Deviation>;
}

export function statementOf(choices: Choices): Statement {
  const words = new Words(choices);
  if (choices.below(2) === 0) {
    const { text, isOrdered } = query(words);
    return { ...numbered(text, words.parameters), isOrdered, deviations: words.deviations };
  }
  const { text, isOrdered, changes } = write(words);
  const numberedText = numbered(text, words.parameters);
  return { ...numberedText, isOrdered, changes, deviations: words.deviations };
}

/** Leaves out the parameters that a discarded part of the statement has taken. No literal of a statement contains `$`. */
function numbered(
  text: string,
  given: readonly (string | null)[],
): Pick<Statement, 'text' | 'parameters'> {
  const parameters: (string | null)[] = [];
  const known = new Map<string, string>();
  const renumbered = text.replace(/\$(\d+)/g, (place, number: string) => {
    const old = known.get(place);
    if (old !== undefined) return old;
    parameters.push(given[Number(number) - 1] ?? null);
    known.set(place, `$${parameters.length}`);
    return `$${parameters.length}`;
  });
  return { text: renumbered, parameters };
}
