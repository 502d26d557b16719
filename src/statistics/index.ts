/**
 * What is known of the rows of tables, for the planner: numbers that may be wrong or missing, and never change an answer.
 *
 * `statistics.ts` is what the planner asks; `counted.ts` answers from what the store has counted anyway, `surveys.ts` from what somebody has looked up
 * in the background when a plan had asked for it (`fan-out.ts`). The planner gets them as an argument: the same statistics give the same plan.
 */

export { rowsOfValues } from './fan-out.ts';
export type { Statistics } from './statistics.ts';
export { Surveys } from './surveys.ts';
