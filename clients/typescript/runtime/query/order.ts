/** In which order rows come: as the application has said, else by their key. No order that it has said is lost in silence. */

/** What is looked at of a query. */
interface Steps {
  readonly op: string;
  readonly inputs: readonly Steps[];
  readonly with: Readonly<Record<string, unknown>>;
}

/** Steps that give rows in the order of their input. */
const isKeeping = ({ op }: Steps) => op === 'where' || op === 'select' || op === 'same';

/** Whether the application has said the order in which rows come. */
export function isOrderedBy(q: Steps): boolean {
  if (q.op === 'order') return q.with['terms'] !== undefined;
  return (isKeeping(q) || q.op === 'slice') && isOrderedBy(q.inputs[0] as Steps);
}

/** Whether rows come in an order that the language knows. */
export function isOrdered(q: Steps): boolean {
  if (isKeeping(q)) return isOrdered(q.inputs[0] as Steps);
  return q.op === 'order' || q.op === 'slice' || q.op === 'page';
}

/** The step behind an `orderBy` that does not keep its order. */
export function losesOrder(q: Steps): string | undefined {
  const { op, inputs, with: parts } = q;
  if (op === 'refQuery') return isOrderedBy(parts['of'] as Steps) ? 'query(…).rows' : undefined;
  const [first] = inputs;
  if (first === undefined || op === 'order' || op === 'group' || op === 'recursive')
    return undefined;
  const seen = op === 'set' ? inputs : [first];
  if (isKeeping(q) || op === 'slice' || !seen.some(isOrderedBy)) return losesOrder(first);
  return op === 'set' ? String(parts['kind']).replace('concatenate', 'union') : op;
}
