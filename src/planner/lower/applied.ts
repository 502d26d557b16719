/** A plan that runs for the rows of another one: what it reads of them, and which scan can be read for several of them at once. */

import type {
  AppliedPlan,
  KeyInterval,
  RegisterBinding,
  RelationPlan,
  RowsAhead,
  ScanPlan,
} from '../plan/relation.ts';
import { plannedCount } from '../plan/row-count.ts';
import type { Frame } from './frame.ts';
import type { Planning } from './planning.ts';
import { canRunTogether } from './rows-together.ts';

/** For each outer row at most: as many as a scan reads first. */
const rowsMax = 16;

/** `plan`, of which the first row or all rows are wanted, for the outer rows of `frame`. */
export function applied(
  planning: Planning,
  plan: RelationPlan,
  wants: 'first' | 'all',
  frame: Frame,
): AppliedPlan {
  const registers = frame.bindings();
  const wanted = wants === 'all' ? rowsMax : 1;
  const ahead = planning.uses('rows_ahead') ? rowsAheadIn(plan, wanted, registers) : undefined;
  return { plan, registers, ...(ahead && { ahead }) };
}

/**
 * The scan at the end of the chain below `plan`, if the rows that it reads are those of a key that follows from outer rows alone.
 * Nothing else is between them that could read it twice, or evaluate something before it: what is read earlier fails no earlier.
 */
function rowsAheadIn(
  plan: RelationPlan,
  wanted: number,
  registers: readonly RegisterBinding[],
): RowsAhead | undefined {
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
        // One more row tells that the rest comes behind it; else all rows are read.
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

/** Whether a run for one row can begin with rows that were read ahead, and read on by itself. */
function isReadOn(plan: ScanPlan): boolean {
  return plan.access.kind === 'index' && plan.isCovered !== true && plan.point === undefined;
}

/** Computes nothing, so that nothing can fail. */
function isSimple({ prefix, among, lower, upper }: KeyInterval): boolean {
  if (among !== undefined || lower !== undefined || upper !== undefined) return false;
  const kinds = prefix.map(({ value }) => value.kind);
  return (
    kinds.includes('register') && kinds.every((kind) => kind === 'register' || kind === 'parameter')
  );
}
