/** Plans that run once per outer row: the registers that they read, and the scan that can be prefetched for several outer rows. */

import type {
  AppliedPlan,
  KeyInterval,
  PrefetchPlan,
  RegisterBinding,
  RelationPlan,
  ScanPlan,
} from '../plan/relation.ts';
import { plannedCount } from '../plan/row-count.ts';
import type { CorrelationFrame } from './correlation-frame.ts';
import { canRunTogether } from './is-batchable.ts';
import type { Planning } from './planning.ts';

/** Maximum number of rows that are prefetched per outer row, equal to the size of a scan's first batch. */
const rowsMax = 16;

/** Applies `plan` to the outer rows of `frame`. The consumer takes the first `wanted` rows, or all rows if that is Infinity. */
export function applied(
  planning: Planning,
  plan: RelationPlan,
  wanted: number,
  frame: CorrelationFrame,
): AppliedPlan {
  const registers = frame.bindings();
  const rows = Math.min(wanted, rowsMax);
  const ahead = planning.uses('rows_ahead') ? rowsAheadIn(plan, rows, registers) : undefined;
  return { plan, registers, ...(ahead && { ahead }) };
}

/**
 * Returns the prefetch of the scan at the end of the chain below `plan`, if its key depends only on outer rows and parameters. No operator in
 * the chain can read the scan twice or evaluate something before it. Therefore the prefetch does not make an error occur earlier.
 */
function rowsAheadIn(
  plan: RelationPlan,
  wanted: number,
  registers: readonly RegisterBinding[],
): PrefetchPlan | undefined {
  let rows = wanted;
  let slice: number | undefined;
  for (let node = plan; ; node = node.input) {
    switch (node.kind) {
      case 'project':
      case 'filter':
      case 'attach':
        break;
      case 'slice':
        slice = node.id;
        rows = Math.min(rows, plannedCount(node.offset) + plannedCount(node.limit ?? rowsMax));
        break;
      case 'sort':
        // One row after the limit proves that all further rows sort after it. A sort without that property reads all rows.
        rows = node.presorted && node.limit !== undefined ? plannedCount(node.limit) + 1 : rowsMax;
        break;
      case 'scan':
        if (!isReadByRegisters(node)) return undefined;
        rows = node.point !== undefined ? 1 : Math.max(1, Math.min(rows, rowsMax));
        if (canRunTogether(plan, registers)) {
          return { scan: node.id, rows, together: true, ...(slice !== undefined && { slice }) };
        }
        return isReadOn(node) ? { scan: node.id, rows } : undefined;
      default:
        return undefined;
    }
  }
}

function isReadByRegisters({ access }: ScanPlan): boolean {
  return access.kind !== 'table' && isSimple(access.interval);
}

/** Returns whether a run for one outer row can start with prefetched rows and then continue the scan itself. */
function isReadOn(plan: ScanPlan): boolean {
  return plan.access.kind === 'index' && plan.isCovered !== true && plan.point === undefined;
}

/** Returns whether the interval contains no computation, so that evaluating it cannot fail. */
function isSimple({ prefix, among, lower, upper }: KeyInterval): boolean {
  if (among !== undefined || lower !== undefined || upper !== undefined) return false;
  const kinds = prefix.map(({ value }) => value.kind);
  return (
    kinds.includes('register') && kinds.every((kind) => kind === 'register' || kind === 'parameter')
  );
}
