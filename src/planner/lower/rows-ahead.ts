/** Which scan of a crossing can be read for several enclosing rows at once, and how far for each. */

import type { CrossingKind } from '#lir';
import type {
  KeyInterval,
  RegisterBinding,
  RelationPlan,
  RowsAhead,
  ScanPlan,
} from '../plan/relation.ts';
import { plannedCount } from '../plan/row-count.ts';
import { canRunTogether } from './rows-together.ts';

/** For each enclosing row at most: as many as a scan reads first. */
const rowsMax = 16;

/**
 * The scan at the end of the chain below `plan`, if the rows that it reads are those of a key that follows from enclosing rows alone.
 * Nothing else is between them that could read it twice, or evaluate something before it: what is read earlier fails no earlier.
 */
export function rowsAheadIn(
  plan: RelationPlan,
  crossing: CrossingKind,
  registers: readonly RegisterBinding[],
): RowsAhead | undefined {
  let rows = crossing === 'array' ? rowsMax : 1;
  for (let node = plan; ; node = node.input) {
    switch (node.kind) {
      case 'project':
      case 'filter':
      case 'attach':
        break;
      case 'slice':
        rows = Math.min(rows, plannedCount(node.offset) + plannedCount(node.limit ?? rowsMax));
        break;
      case 'sort':
        // One more row tells that the rest comes behind it; else all rows are read.
        rows = node.presorted && node.limit !== undefined ? plannedCount(node.limit) + 1 : rowsMax;
        break;
      case 'scan':
        if (!isReadByRegisters(node)) return undefined;
        rows = Math.max(1, Math.min(rows, rowsMax));
        if (canRunTogether(plan, registers)) return { scan: node.id, rows, together: true };
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
function isReadOn({ access, isCovered }: ScanPlan): boolean {
  if (access.kind !== 'index' || isCovered === true) return false;
  const { index, interval } = access;
  return !index.unique || interval.prefix.length < index.columns.length;
}

/** Computes nothing, so that nothing can fail. */
function isSimple({ prefix, among, lower, upper }: KeyInterval): boolean {
  if (among !== undefined || lower !== undefined || upper !== undefined) return false;
  const kinds = prefix.map(({ value }) => value.kind);
  return (
    kinds.includes('register') && kinds.every((kind) => kind === 'register' || kind === 'parameter')
  );
}
