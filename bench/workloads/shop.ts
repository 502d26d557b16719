/** The shop: a tenth as many users and comments as orders, a hundredth as many posts. */

import { changesOf } from './changes.ts';
import type { Workload } from './question.ts';
import { orderOf, questionsFor } from './questions.ts';
import { countsOf, tablesOf } from './tables.ts';

export function shop(orders: number): Workload {
  const counts = countsOf(orders);
  return {
    tables: tablesOf(counts),
    questions: [...questionsFor(counts), ...changesOf(counts)],
    measured: { name: 'orders', index: ['user_id'], read: (turn) => orderOf(counts, turn) },
  };
}
