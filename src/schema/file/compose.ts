/**
 * From concrete syntax to YAML nodes, in pieces: the library composes a document in one go, however long. A heavy collection is composed as its shell, with
 * empty collections in place of large members, and the members one by one.
 */

import { Composer, type CST, type Document, isCollection, isPair, type Node } from 'yaml';
import { invariant, type Pace, type Steps } from '#base';

/** Sees each piece once, before its large members are put in their places. */
type Inspect = (piece: Document.Parsed) => void;

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;

/** Tokens of a piece: the library composes so many in a millisecond or two. */
const pieceWeight = 2_000;
/** Members lighter than this stay where they are. */
const memberWeight = 12;

/** The documents of a file; only the first of them is whole. */
export function* composeInPieces(
  tokens: readonly CST.Token[],
  end: number,
  inspect: Inspect,
  pace: Pace,
): Steps<readonly Document.Parsed[]> {
  const weights = yield* weigh(tokens, pace);
  const shells = tokens.map((token) =>
    token.type === 'document' ? withValue(token, shellOf(token.value, weights)) : token,
  );
  const documents = [...composer().compose(shells, true, end)] as Document.Parsed[];
  for (const document of documents) inspect(document);
  const first = tokens.find((token) => token.type === 'document');
  const open = holesOf(first?.value, weights, documents[0]?.contents ?? null);
  for (let hole = open.pop(); hole !== undefined; hole = open.pop()) {
    const { token, fill } = hole;
    const wait = pace.pause(shellWeight(token, weights));
    if (wait !== undefined) yield wait;
    const around: CST.Document = { type: 'document', offset: token.offset, start: [] };
    const [piece] = composer().compose([withValue(around, shellOf(token, weights))]);
    inspect(piece as Document.Parsed);
    fill(piece?.contents as Node | null);
    open.push(...holesOf(token, weights, piece?.contents as Node | null));
  }
  return documents;
}

/** Members are compared by the reader, with one look each; the library compares all pairs. */
function composer(): Composer {
  return new Composer({ uniqueKeys: false, intAsBigInt: true, version: '1.2' });
}

function withValue({ value: _, ...document }: CST.Document, value?: CST.Token): CST.Document {
  return value === undefined ? document : { ...document, value };
}

/** Tokens within each collection, itself included. The syntax nests no deeper than a schema. */
function* weigh(tokens: readonly CST.Token[], pace: Pace): Steps<ReadonlyMap<CST.Token, number>> {
  const weights = new Map<CST.Token, number>();
  for (const token of tokens) {
    if (token.type === 'document') yield* addWeights(token.value, weights, pace);
  }
  return weights;
}

function* addWeights(
  token: CST.Token | null | undefined,
  weights: Map<CST.Token, number>,
  pace: Pace,
): Steps<number> {
  if (!isHeavyKind(token)) return 1;
  let weight = 1;
  for (const { start, key, sep, value } of token.items as readonly Item[]) {
    weight += start.length + (sep?.length ?? 0);
    weight += isHeavyKind(key) ? yield* addWeights(key, weights, pace) : 1;
    weight += isHeavyKind(value) ? yield* addWeights(value, weights, pace) : 1;
  }
  weights.set(token, weight);
  const wait = pace.pause(token.items.length);
  if (wait !== undefined) yield wait;
  return weight;
}

interface Item {
  readonly start: readonly CST.SourceToken[];
  readonly key?: CST.Token | null;
  readonly sep?: readonly CST.SourceToken[];
  readonly value?: CST.Token;
}

function isHeavyKind(token: CST.Token | null | undefined): token is Collection {
  const type = token?.type;
  return type === 'block-map' || type === 'block-seq' || type === 'flow-collection';
}

/** The members of a heavy collection that are composed by themselves: but not a pair within a flow sequence, which becomes a mapping. */
function isCut(
  { key, sep, value }: Item,
  within: Collection,
  weights: ReadonlyMap<CST.Token, number>,
): boolean {
  if (value === undefined || (weights.get(value) ?? 0) < memberWeight) return false;
  const isFlowSequence = within.type === 'flow-collection' && within.start.source === '[';
  return !isFlowSequence || (key === undefined && sep === undefined);
}

function isHeavy(token: CST.Token | undefined, weights: ReadonlyMap<CST.Token, number>): boolean {
  return token !== undefined && (weights.get(token) ?? 0) >= pieceWeight;
}

/** The collection with empty ones in place of large members, which keep their kind, place and end. */
function shellOf(
  token: CST.Token | undefined,
  weights: ReadonlyMap<CST.Token, number>,
): CST.Token | undefined {
  if (!isHeavy(token, weights)) return token;
  const heavy = token as Collection;
  const items = (heavy.items as readonly Item[]).map((item) =>
    isCut(item, heavy, weights)
      ? { ...item, value: { ...(item.value as Collection), items: [] } }
      : item,
  );
  return { ...heavy, items } as CST.Token;
}

function shellWeight(token: CST.Token, weights: ReadonlyMap<CST.Token, number>): number {
  const whole = weights.get(token) ?? 1;
  const cut = isHeavy(token, weights) ? cutFrom(token as Collection, weights) : [];
  return cut.reduce((weight, member) => weight - (weights.get(member) ?? 0), whole);
}

function cutFrom(heavy: Collection, weights: ReadonlyMap<CST.Token, number>): readonly CST.Token[] {
  return (heavy.items as readonly Item[]).flatMap((item) =>
    isCut(item, heavy, weights) ? [item.value as CST.Token] : [],
  );
}

interface Hole {
  readonly token: CST.Token;
  fill(node: Node | null): void;
}

/** Where the large members of a heavy collection belong among the nodes of its shell. */
function holesOf(
  token: CST.Token | undefined,
  weights: ReadonlyMap<CST.Token, number>,
  shell: Node | null,
): Hole[] {
  if (!isHeavy(token, weights) || !isCollection(shell)) return [];
  const cut = cutFrom(token as Collection, weights);
  const byOffset = new Map(cut.map((member) => [member.offset, member]));
  const holes = shell.items.flatMap((item, i): readonly Hole[] => {
    const node = isPair(item) ? item.value : item;
    const member = byOffset.get((node as Node | null)?.range?.[0] ?? -1);
    if (member === undefined || !isCollection(node) || node.items.length > 0) return [];
    const fill = (piece: Node | null) => {
      if (isPair(item)) item.value = piece;
      else (shell.items as unknown[])[i] = piece;
    };
    return [{ token: member, fill }];
  });
  invariant(holes.length === cut.length, 'each member that was cut out has its place');
  return holes;
}
