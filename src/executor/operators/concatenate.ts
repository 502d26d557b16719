/** Returns all rows of all inputs, input by input. */

import type { Pending } from '#base';
import type { Batch } from '../batch/batch.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import type { Operator } from './operator.ts';

export class Concatenate implements Operator {
  readonly site: OperatorProfile;
  private readonly inputs: readonly Operator[];
  private at = 0;

  constructor(inputs: readonly Operator[], site: OperatorProfile) {
    this.site = site;
    this.inputs = inputs;
  }

  open(): void {
    for (const input of this.inputs) input.open();
    this.at = 0;
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    for (; this.at < this.inputs.length; this.at++) {
      const batch = (this.inputs[this.at] as Operator).next(wanted);
      if (batch === undefined) continue;
      if (!(batch instanceof Promise)) this.site.rowsOut += batch.count;
      return batch;
    }
    return undefined;
  }

  close(): void {
    for (const input of this.inputs) input.close();
  }
}
