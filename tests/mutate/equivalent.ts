/** Mutations without an observable effect, each with the reason. An entry is identified by its text, even if its lines move. */

import { type Mutation, singleSpaced } from './mutation.ts';

export interface Equivalent {
  readonly file: string;
  /** The touched lines, single-spaced, as `npm run mutate` prints them. */
  readonly before: string;
  /** Without it, another constant there is meant, whichever it is. */
  readonly after?: string;
  readonly reason: string;
}

/** How much is done, kept or set aside at once: any number gives the same answers. */
const capacity = 'a capacity: any number gives the same answers';

/** Where a key is looked for first. */
const hashing = 'a hash: another one spreads keys otherwise, and finds them all the same';

export const equivalents: readonly Equivalent[] = [
  {
    file: 'src/storage/batch/write-journal.ts',
    before: 'head: 0,',
    after: 'head: 1,',
    reason: 'each step that is shown sets all of its members before',
  },
  {
    file: 'src/executor/operators/apply/window.ts',
    before: 'slice?.divide(undefined, 0);',
    reason: 'rows of one run are not counted by run',
  },
  {
    file: 'src/executor/operators/sort/sorted-runs.ts',
    before: 'let bytes = this.open?.bytes ?? 0;',
    reason: 'an estimate of memory: one byte decides nothing',
  },
  {
    file: 'src/executor/effects/keyed-columns.ts',
    before: 'keyTo = 0;',
    reason: 'it is read only after the key of a row was taken, which sets it',
  },
  {
    file: 'src/storage/merge/batch-source.ts',
    before: 'if (valueTo - keyFrom > 64) {',
    reason: 'short entries are copied byte by byte, with the same result',
  },
  {
    file: 'src/storage/table/batch-search.ts',
    before: 'if (slot < 0) return false;',
    after: 'if (slot < 0) return true;',
    reason: 'a count that decides only whether later batches ask the filter before they search',
  },
  {
    file: 'src/storage/compaction/apply-job.ts',
    before: 'if (outputs.length === 0) return rest;',
    after: '{}',
    reason: 'a short cut: a run without tables is removed from the tree afterwards',
  },
  {
    file: 'src/http/program/templates.ts',
    before: 'export const classesMax = 256;',
    reason: capacity,
  },
  {
    file: 'src/http/edge/request-facts.ts',
    before: 'const documentBytesPerCharacter = 10;',
    reason: 'an estimate of memory: one byte of a character decides nothing',
  },
  {
    file: 'src/planner/bind/binding.ts',
    before: 'const position = places.get(column.name) ?? -1;',
    after: 'const position = places.get(column.name) ?? -2;',
    reason: 'there is no column at either position, and the position is not used then',
  },
  {
    file: 'src/planner/access/path.ts',
    before: "const lower = among === undefined ? bound('gt', 'gte') : undefined;",
    after: "const lower = among === undefined ? bound('gte', 'gt') : undefined;",
    reason: 'a set of operators: their order decides nothing',
  },
  {
    file: 'src/catalog/transition/subject.ts',
    before: 'const live = table.transitions?.find((transition) => transition.id === id);',
    after: 'const live = table.transitions?.findLast((transition) => transition.id === id);',
    reason: 'no two transitions have one id',
  },
  {
    file: 'src/catalog/change/create-table.ts',
    before: 'indexes.push(indexRecord({ ...bare, indexes }, index, () => ids.next()));',
    after: 'indexes.unshift(indexRecord({ ...bare, indexes }, index, () => ids.next()));',
    reason: 'the indexes are sorted by name afterwards, and get their ids in the same order',
  },
  {
    file: 'src/catalog/change/change-column.ts',
    before: 'const index = table.indexes.find(({ columns }) => columns.includes(columnId));',
    after: 'const index = table.indexes.findLast(({ columns }) => columns.includes(columnId));',
    reason: 'of several indexes that need the column, another one is told',
  },
  {
    file: 'src/server/store-options.ts',
    before: '(tuning.memtableBytes ?? 0) <= (tuning.unflushedBytesMax ?? 0),',
    reason: 'both have defaults, so that neither is ever missing',
  },
  {
    file: 'src/engine/write-gates.ts',
    before: 'if (gated.size === 0) return undefined;',
    after: '{}',
    reason: 'a short cut: among no gated tables the loop finds none',
  },
  {
    file: 'src/engine/write-gates.ts',
    before: 'for (let next = open.pop(); next !== undefined; next = open.pop()) {',
    after: 'for (let next = open.pop(); next !== undefined; next = open.shift()) {',
    reason: 'of several gated tables that a delete leads to, another one is told',
  },
  {
    file: 'src/engine/admission/time-slices.ts',
    before: 'private pauseUntilMs = 0;',
    reason: 'a time in the past of any clock',
  },
  {
    file: 'src/engine/observer.ts',
    before: 'observations.push({ part, estimated, actual: site.rowsOut, isCut });',
    after: 'observations.unshift({ part, estimated, actual: site.rowsOut, isCut });',
    reason:
      'each relation is counted by itself; of a query with more than 64 of them, others are counted',
  },
  {
    file: 'src/engine/statistics-report.ts',
    before: 'const portion = 64;',
    reason: capacity,
  },
  {
    file: 'src/engine/statistics-report.ts',
    before: 'if (cost < portion) continue;',
    after: 'if (cost <= portion) continue;',
    reason: capacity,
  },
  {
    file: 'src/engine/relayed.ts',
    before: 'const portion = 64;',
    reason: capacity,
  },
  {
    file: 'src/value/json/encode-in-pieces.ts',
    before: 'let weight = 0;',
    after: 'let weight = 1;',
    reason: capacity,
  },
  {
    file: 'src/layout/interval.ts',
    before: 'const scratch = new ByteWriter(256);',
    reason: capacity,
  },
  {
    file: 'src/layout/key-column-reader.ts',
    before: 'if (this.key.length < prefixLength) this.key = new Uint8Array(2 * prefixLength + 32);',
    reason: capacity,
  },
  {
    file: 'src/storage/batch/write-batch.ts',
    before: 'const chunkWrites = 128;',
    reason: capacity,
  },
  {
    file: 'src/storage/batch/commit-record.ts',
    before: 'private writer = new ByteWriter(4096);',
    reason: capacity,
  },
  {
    file: 'src/storage/transaction/read-set.ts',
    before: 'return order < 0 || (order === 0 && right.to !== right.from);',
    after: 'return order < 1 || (order === 0 && right.to !== right.from);',
    reason:
      'a point at the end of an interval makes one interval with it, or stands beside it: the same keys',
  },
  {
    file: 'src/storage/batch/batch-bytes.ts',
    before: 'if (piece === undefined || this.at + count > piece.length) {',
    after: 'if (piece === undefined || this.at + count >= piece.length) {',
    reason: 'the last byte of a piece stays unused',
  },
  {
    file: 'src/catalog/stored/key-space.ts',
    before: 'for (let i = 0; i < tupleFrom; i++) writer.bytes[at + i] = prefix[i] as number;',
    after: 'for (let i = 0; i <= tupleFrom; i++) writer.bytes[at + i] = prefix[i] as number;',
    reason: 'the byte behind lies beyond the length of the writer: what follows overwrites it',
  },
  {
    file: 'src/layout/row-reader.ts',
    before: 'return readInt32(body, at) >>> 0;',
    after: 'return readInt32(body, at) << 0;',
    reason: 'no row has cells of 2 GiB',
  },
  {
    file: 'src/layout/row-reader.ts',
    before: 'private endsFrom = 0;',
    reason: 'set by open() before anything is read',
  },
  {
    file: 'src/catalog/stored/keys.ts',
    before: 'view.setUint32(6, version % 0x1_0000_0000);',
    reason: 'setUint32 takes the lowest 32 bits of what it is given',
  },
  {
    file: 'src/executor/batch/int-codes.ts',
    before: 'const high = Math.imul((key / 0x100000000) | 0, multiplier);',
    reason: hashing,
  },
  {
    file: 'src/executor/batch/int-table.ts',
    before: 'const high = Math.imul((key / 0x100000000) | 0, highMultiplier);',
    reason: hashing,
  },
  {
    file: 'src/executor/batch/int-table.ts',
    before: 'const highMultiplier = 0x85ebca6b;',
    reason: hashing,
  },
  {
    file: 'src/executor/batch/int-table.ts',
    before: 'const multiplier = 0x9e3779b1;',
    reason: hashing,
  },
  {
    file: 'src/executor/batch/int-codes.ts',
    before: 'const multiplier = 0xc2b2ae35;',
    reason: hashing,
  },
  {
    file: 'src/executor/operators/distinct.ts',
    before: 'this.site.calls++;',
    after: 'this.site.calls--;',
    reason: 'a counter that nobody reads',
  },
  {
    file: 'src/value/compare.ts',
    before: 'return left < right ? -1 : left > right ? 1 : 0;',
    after: 'return left < right ? -1 : left > right ? 2 : 0;',
    reason: 'only the sign counts',
  },
  {
    file: 'src/value/json/encode.ts',
    before: 'const bulk = count >= bulkRowsMin ? knownBulkEncoder(columns) : undefined;',
    after: 'const bulk = count > bulkRowsMin ? knownBulkEncoder(columns) : undefined;',
    reason: 'both encoders write the same; which one is faster begins a row later',
  },
  { file: 'src/base/bytes.ts', before: 'constructor(capacity = 256) {', reason: capacity },
  {
    file: 'src/base/suggestion.ts',
    before:
      'const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];',
    after:
      'const isSwap = i > 1 && j >= 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];',
    reason: 'there is no letter before the first one: nothing equals it',
  },
  {
    file: 'src/base/suggestion.ts',
    before:
      'const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];',
    after:
      'const isSwap = i >= 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];',
    reason: 'there is no letter before the first one: nothing equals it',
  },
  {
    file: 'src/value/literal.ts',
    before: 'if (Math.abs(value) > 2 ** 64) return undefined;',
    reason: 'a short way out: what is too large is refused behind it, too',
  },
  {
    file: 'src/wire/check/object.ts',
    before: 'if (alternatives.length > 0) requireOne(value, alternatives, depth, report);',
    after: 'if (alternatives.length > 1) requireOne(value, alternatives, depth, report);',
    reason: 'no schema has a single alternative: that would be a required member',
  },
  {
    file: 'src/storage/object/s3/xml.ts',
    before: "if (!text.includes('&')) return text;",
    after: '{}',
    reason: 'a short way out: without an ampersand there is nothing to replace',
  },
  {
    file: 'src/planner/lower/set.ts',
    before: 'return { plan, columnIndexes, ordering: unordered, cost: cost + work };',
    after: 'return { plan, columnIndexes, ordering: unordered, cost: cost - work };',
    reason:
      'partners are looked up in tables only: whatever is chosen above, all distinct rows are made, and their cost is on both sides',
  },
  {
    file: 'src/schema/edit/edit-file.ts',
    before: 'list.items.push(node);',
    after: 'list.items.unshift(node);',
    reason: 'the only entry of a new list',
  },
  {
    file: 'src/schema/file/decode.ts',
    before:
      "findings.shape({ from: broken, to: broken + 1 }, 'the file is not UTF-8', 'save it as UTF-8');",
    after:
      "findings.shape({ from: broken, to: broken }, 'the file is not UTF-8', 'save it as UTF-8');",
    reason: 'an excerpt marks at least one character',
  },
  {
    file: 'src/transitions/index-chunk.ts',
    before: 'const nothing = new Uint8Array(0);',
    after: 'const nothing = new Uint8Array(1);',
    reason: 'a claim says all by its key: nobody reads its value',
  },
  {
    file: 'src/transitions/step.ts',
    before: 'epoch = record.epoch + 1;',
    after: 'epoch = record.epoch + 2;',
    reason: 'a generation is told from others by being another: how much higher matters to nobody',
  },
  {
    file: 'src/planner/lower/join-plan.ts',
    before: 'const cost = left.cost + right.cost + pairs * costs.pair;',
    after: 'const cost = left.cost + right.cost - pairs * costs.pair;',
    reason:
      'a loop join is in no order and is no table: its cost is on both sides of every choice above it',
  },
  {
    file: 'src/storage/transaction/history-keys.ts',
    before: 'for (let at = this.chunkOf(from, 0, from.length); at < this.chunks.length; at++) {',
    after: 'for (let at = this.chunkOf(from, from.length, 0); at < this.chunks.length; at++) {',
    reason: 'the search begins at the first chunk: slower, with the same answer',
  },
  {
    file: 'src/storage/object-cache/part-file.ts',
    before: 'const magic = 0x70637673;',
    reason: 'parts of another magic number are fetched again',
  },
  {
    file: 'src/storage/check/examine.ts',
    before: 'const draw = (bytes = 64): Uint8Array => world.random.fill(new Uint8Array(bytes));',
    reason: 'how long the bodies of racing creators are matters to nobody',
  },
  {
    file: 'src/storage/log/group.ts',
    before: 'private readonly gathered = new GatheredBytes(64 << 10);',
    reason: capacity,
  },
  {
    file: 'src/storage/object/file-writer.ts',
    before: 'this.gathered = 0;',
    after: 'this.gathered = 1;',
    reason: 'a write begins a byte earlier',
  },
  {
    file: 'src/http/program/templates.ts',
    before: 'const gapBytes = 512;',
    reason: capacity,
  },
  {
    file: 'src/engine/database.ts',
    before:
      '.filter(({ version }) => version > plan.catalog.version && version < plan.catalogAfter.version);',
    after:
      '.filter(({ version }) => version > plan.catalog.version && version <= plan.catalogAfter.version);',
    reason: 'the last revision is put twice, with the same bytes',
  },
  {
    file: 'src/executor/batch/int-codes.ts',
    before: 'const bits = Math.log2(splitAt) - partBits + 1;',
    reason: capacity,
  },
  {
    file: 'src/planner/bind/binary.ts',
    before: 'for (let part = open.pop(); part !== undefined; part = open.pop()) {',
    after: 'for (let part = open.shift(); part !== undefined; part = open.pop()) {',
    reason: 'the only one in the beginning',
  },
  {
    file: 'src/planner/cost/defaults.ts',
    before: 'if (kept >= rows) return rows * Math.log2(rows + 2) * costs.sortRow;',
    after: 'if (kept >= rows) return rows * Math.log2(rows + 3) * costs.sortRow;',
    reason: 'an estimate: what is added keeps a single row from costing nothing',
  },
  {
    file: 'src/planner/lower/aggregate.ts',
    before: 'cost: lowered.cost + inputRows * costs.hashProbeRow,',
    after: 'cost: lowered.cost + inputRows / costs.hashProbeRow,',
    reason: 'a row that probes costs 1',
  },
  {
    file: 'src/transitions/end.ts',
    before: 'const epoch = record.epoch + 1;',
    after: 'const epoch = record.epoch + 2;',
    reason: 'a generation is told from others by being another: how much higher matters to nobody',
  },
  {
    file: 'src/wire/catalog/check.ts',
    before: "report.path[depth + 1] = given.func === undefined ? 'value' : 'func';",
    after: ';',
    reason: 'the check of the only member of the default has left its name there',
  },
  {
    file: 'src/catalog/change/declare.ts',
    before: 'const wait = pace.pause(16 * definition.columns.length);',
    after: 'const wait = pace.pause(16 / definition.columns.length);',
    reason: 'how soon a pace looks at the clock: any number gives the same catalog',
  },
  {
    file: 'src/telemetry/sampling.ts',
    before: 'return ratio >= 1 || chance() < ratio;',
    after: 'return ratio >= 2 || chance() < ratio;',
    reason: 'a chance is below 1',
  },
  {
    file: 'src/schema/edit/rename-references.ts',
    before: "isChanged = renameList(entry.get('columns'), own) || isChanged;",
    after: "isChanged = renameList(entry.get('columns'), own) && isChanged;",
    reason: 'a table whose own column has another name is changed in any case',
  },
  {
    file: 'src/planner/cost/selectivity.ts',
    before: 'for (const range of ranges.values()) parts.push(shareOfRange(range, known));',
    after: 'for (const range of ranges.values()) parts.unshift(shareOfRange(range, known));',
    reason: 'shares are sorted before they are multiplied',
  },
  {
    file: 'src/transitions/violations.ts',
    before: 'const [rows = 0] = causes.values();',
    after: 'const [rows = 1] = causes.values();',
    reason: 'there is a cause: a map without one was answered above',
  },
  {
    file: 'src/transitions/unique-run.ts',
    before: 'if (i > 0 && run.isRepeated(order[i - 1] as number, at)) {',
    after: 'if (i >= 0 && run.isRepeated(order[i - 1] as number, at)) {',
    reason: 'an entry before the first one compares as NaN: it is never repeated',
  },
  {
    file: 'src/executor/operators/slice.ts',
    before: 'private toSkip = 0;',
    reason: 'set by open() before anything is read',
  },
  {
    file: 'src/executor/point/row-values.ts',
    before:
      "if (kind === 'among' || !(type.kind === 'int64' || type.kind === 'float64')) return false;",
    after:
      "if (kind !== 'among' || !(type.kind === 'int64' || type.kind === 'float64')) return false;",
    reason: 'a kernel that is not kept is compiled for each row: slower, with the same values',
  },
  {
    file: 'src/executor/mutate/building-entries.ts',
    before: 'return false;',
    after: 'return true;',
    reason: 'the last row that claims an entry becomes its owner instead of the first one: any may',
  },
  {
    file: 'src/planner/plan/access-facts.ts',
    before: 'private nodes = 0;',
    reason: 'how large a plan is counted at most: any number gives the same answers',
  },
  {
    file: 'src/server/listener.ts',
    before: 'if (isClosed) return;',
    after: '{}',
    reason: 'a short way out: closed sockets are waited for no longer, and closed once more',
  },
];

export function reasonOf({ file, kind, before, after }: Mutation): string | undefined {
  return equivalents.find(
    (known) =>
      known.file === file &&
      known.before === before &&
      (known.after === undefined ? kind === 'constant' : known.after === after),
  )?.reason;
}

/** Entries whose line is not there any more: they argue about nothing. */
export function gone(textOf: (file: string) => string): readonly Equivalent[] {
  return equivalents.filter(({ file, before }) => !singleSpaced(textOf(file)).includes(before));
}
