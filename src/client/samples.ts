/** The samples of a `/metrics` response. */

import type { Connection } from './connection.ts';

/** Samples by metric name, each with the attributes in the text of the response. */
export class Samples {
  private readonly byName = new Map<string, (readonly [string, number])[]>();

  constructor(text: string) {
    for (const line of text.split('\n')) {
      const parts = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (parts === null) continue;
      const [, name, attributes = '', value] = parts as unknown as readonly string[];
      const values = this.byName.get(name as string) ?? [];
      values.push([attributes, Number(value)]);
      this.byName.set(name as string, values);
    }
  }

  /** Returns the sum of all values of the metric whose attributes contain all of `words`, such as `result="hit"`. Returns `undefined` if there are none. */
  sum(name: string, ...words: readonly string[]): number | undefined {
    const found = this.byName.get(name)?.filter(([attributes]) => has(attributes, words));
    if (found === undefined || found.length === 0) return undefined;
    return found.reduce((total, [, value]) => total + value, 0);
  }

  /** Returns the cumulative counts of a histogram, each with its upper bound, by ascending bound. `words` selects attributes as in `sum`. */
  buckets(name: string, ...words: readonly string[]): readonly (readonly [number, number])[] {
    const counts = new Map<number, number>();
    for (const [attributes, value] of this.byName.get(`${name}_bucket`) ?? []) {
      if (!has(attributes, words)) continue;
      const bound = /le="([^"]+)"/.exec(attributes)?.[1] ?? '';
      const limit = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
      counts.set(limit, (counts.get(limit) ?? 0) + value);
    }
    return [...counts].sort(([left], [right]) => left - right);
  }
}

/** Requests and parses `/metrics`. Throws ServerProblem or Unreachable. */
export async function scrape(connection: Connection): Promise<Samples> {
  return new Samples(await connection.text('/metrics'));
}

function has(attributes: string, words: readonly string[]): boolean {
  return words.every((word) => attributes.includes(word));
}
