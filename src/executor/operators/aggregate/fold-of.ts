/** Returns the fold for an aggregate term of a plan. */

import { unreachable } from '#base';
import type { PlanFold } from '#planner';
import type { ScalarType } from '#value';
import { Averages } from './averages.ts';
import { Count } from './count.ts';
import { Extremes } from './extremes.ts';
import { Float64Sums } from './float64-sums.ts';
import type { Fold } from './fold.ts';
import { Int64Sums } from './int64-sums.ts';

export function foldOf(fold: PlanFold): Fold {
  const kind = fold.argument?.type.kind;
  switch (fold.fn) {
    case 'count':
      return new Count();
    case 'sum':
      return kind === 'float64' ? new Float64Sums() : new Int64Sums();
    case 'avg':
      return new Averages();
    case 'min':
      return new Extremes(kind as ScalarType, -1);
    case 'max':
      return new Extremes(kind as ScalarType, 1);
    default:
      return unreachable(fold.fn);
  }
}
