/** Wrong rules of transitions, each on a server of its own: the check must notice every one. */

import { changedTree } from '../../mutants/tree.ts';
import { plants } from './plants.ts';
import { migrateUnderLoad } from './run.ts';
import { WrongAnswer } from './server.ts';

export const small = { rows: 6000, clients: 12, window: 300, print: () => {} };
const seeds = 3;

export async function huntPlants(): Promise<boolean> {
  let survivors = 0;
  for (const plant of plants) {
    const noticed = await hunt(plant);
    if (noticed === undefined) survivors++;
    console.log(`${plant.name.padEnd(62)} ${noticed ?? 'SURVIVED'}`);
  }
  console.log(`${plants.length - survivors} of ${plants.length} wrong rules noticed`);
  return survivors === 0;
}

export async function hunt(plant: (typeof plants)[number]): Promise<string | undefined> {
  using tree = changedTree(plant.changes);
  for (let seed = 1; seed <= seeds; seed++) {
    try {
      await migrateUnderLoad({ ...small, seed, root: tree.path });
    } catch (error) {
      if (!(error instanceof WrongAnswer)) throw error;
      return `seed ${seed}: ${error.message.split('\n')[0]?.slice(0, 100)}`;
    }
  }
  return undefined;
}
