/** One attack on the store at rest. */

import type { RestAttack } from './attack.ts';
import { removeScratch, scratchDirectory } from './target/at-exit.ts';
import type { Store } from './target/store.ts';

export async function runAtRest(attack: RestAttack, store: Store) {
  const made: string[] = [];
  const keep = (directory: string) => {
    made.push(directory);
    return directory;
  };
  const { got, failures } = await attack.strike({
    binary: store.binary,
    rows: store.rows,
    loaded: () => keep(store.copy()),
    empty: () => keep(scratchDirectory()),
  });
  for (const directory of made) removeScratch(directory);
  return { got, missed: failures };
}
