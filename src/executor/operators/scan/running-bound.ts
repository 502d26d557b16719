/** What a sort above a scan wants of one column, drawn closer while the scan is under way. */

import type { Column } from '#catalog';
import type { ZoneBound } from '#storage';

/** At first without an end on either side, which leaves nothing out, NULL included. */
export class RunningBound implements ZoneBound {
  readonly column: number;
  readonly isFloat: boolean;
  readonly isNullable: boolean;
  min = -Infinity;
  max = Infinity;

  constructor(column: Column) {
    this.column = column.physicalId;
    this.isFloat = column.type === 'float64';
    this.isNullable = column.nullable;
  }

  /** For rows of a run that begins anew. */
  reset(): void {
    this.min = -Infinity;
    this.max = Infinity;
  }
}
