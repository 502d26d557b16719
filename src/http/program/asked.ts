/** The options of one program or query request. */

import type { Diagnosis } from './diagnosis/diagnosis.ts';
import type { TagCondition } from './entity-tag.ts';

export interface Asked {
  readonly body: string;
  /** Whether the body is one relation. The response then contains only its rows, with their entity tag. */
  readonly isQuery: boolean;
  readonly showPlan: boolean;
  readonly dryRun: boolean;
  /** The `If-None-Match` condition of a query. */
  readonly condition: TagCondition | undefined;
  readonly diagnosis: Diagnosis | undefined;
}
