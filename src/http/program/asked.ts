/** What a request wants of its program. */

import type { Diagnosis } from './diagnosis/diagnosis.ts';
import type { TagCondition } from './entity-tag.ts';

export interface Asked {
  readonly body: string;
  /** The body is one relation, and the answer is its rows alone, with their tag. */
  readonly isQuery: boolean;
  readonly showPlan: boolean;
  readonly dryRun: boolean;
  /** Of a query whose client has answers already. */
  readonly condition: TagCondition | undefined;
  readonly diagnosis: Diagnosis | undefined;
}
