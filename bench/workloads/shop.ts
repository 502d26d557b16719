/** The shop: a tenth as many users and comments as orders, a hundredth as many posts. */

import { makeShop } from './data.ts';
import type { Workload } from './question.ts';
import { questionsFor } from './questions.ts';
import { tablesOf } from './tables.ts';

export function shop(orders: number): Workload {
  const data = makeShop(orders);
  return { tables: tablesOf(data), questions: questionsFor(data) };
}
