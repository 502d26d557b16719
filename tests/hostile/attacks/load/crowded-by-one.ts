/** One address sends far more than its share; another one asks for something small. */

import { type LiveAttack, outcomeOf, type Stage } from '../../attack.ts';
import { ask, binary, col, count, filter, int, relation, scan } from '../../programs/lir.ts';
import { executeBytes, openMany } from '../strikes.ts';
import { loopJoin } from '../work/abandoned.ts';

/** A twentieth of the rows are read and counted. */
function smallQuery(stage: Stage): string {
  const nodes = {
    s: scan('item', 's'),
    f: filter('s', binary('lt', col('s', 'id'), int(Math.floor(stage.rows / 20)))),
    c: count('f'),
  };
  return ask(relation(nodes, 'c', 'scalar'));
}

export const crowdedByOne: LiveAttack = {
  kind: 'live',
  part: 'load',
  name: 'crowded-by-one',
  does: '300 heavy queries from one address; a small query from another within 10 × alone + 500 ms',
  strike: async (stage) => {
    const from = '127.0.0.2';
    const alone = await stage.execute(smallQuery(stage), { from });
    const heavy = await openMany(stage, 300, executeBytes(stage, loopJoin()));
    await Bun.sleep(1500);
    const crowded = [];
    for (let i = 0; i < 5; i++) crowded.push(await stage.execute(smallQuery(stage), { from }));
    for (const connection of heavy) connection.leave();
    const slowest = Math.max(...crowded.map(({ ms }) => ms));
    const times = `${Math.round(alone.ms)} ms alone, ${Math.round(slowest)} ms crowded`;
    const { got, failures } = outcomeOf(crowded);
    const isSlow = slowest > 10 * alone.ms + 500;
    const refused = crowded.filter(({ status }) => status !== 200).length;
    return {
      got: [...got, times],
      failures: [
        ...failures,
        ...(isSlow ? [times] : []),
        ...(refused > 0 ? [`${refused} refused`] : []),
      ],
    };
  },
};
