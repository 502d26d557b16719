/**
 * Wrong rules, each by one change of the text of one file: what a careless hand might write. Generated programs must notice them, or, where a rule
 * decides about speed only and never about an answer, the tests that are named.
 */

export interface Change {
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
}

export interface Mutant extends Change {
  readonly name: string;
  /** Shows only where batches are small, and so little is held that the disk has the rest. */
  readonly needsSmallBounds?: boolean;
  /** Test files; absent: generated programs. */
  readonly tests?: readonly string[];
}

export const mutants: readonly Mutant[] = [
  {
    name: 'NULL sorts last',
    file: 'src/executor/operators/sort/row-order.ts',
    from: '(Number(b === null) - Number(a === null)) * sign;\n    return a < b',
    to: '(Number(a === null) - Number(b === null)) * sign;\n    return a < b',
  },
  {
    name: '-0 and +0 are different keys',
    file: 'src/value/key/encode.ts',
    from: 'view.setFloat64(at + 1, value + 0);',
    to: 'view.setFloat64(at + 1, value);',
  },
  {
    name: 'a NULL among literals is forgotten',
    file: 'src/executor/kernels/among.ts',
    from: 'members.includes(null) ? null : false',
    to: 'false',
  },
  {
    name: 'a look into a set of literals goes before a test that can raise',
    file: 'src/planner/rewrite/membership.ts',
    from: 'if (hazards.canRaise(operand)) open.clear();',
    to: '',
    tests: ['tests/planner/rewrite/membership.test.ts'],
  },
  {
    name: 'int64 has no bounds',
    file: 'src/value/arithmetic/int64.ts',
    from: 'return value >= int64Min && value <= int64Max ? value : undefined;',
    to: 'return value;',
  },
  {
    name: 'a left join pads with what stood there before',
    file: 'src/executor/operators/join/pairs.ts',
    from: 'row < 0 ? null : (from[row] as Datum)',
    to: 'from[Math.max(row, 0)] as Datum',
  },
  {
    name: 'a left join loses rows without a match',
    file: 'src/executor/operators/join/join-output.ts',
    from: 'this.keep(at, at + 1, undefined);',
    to: 'this.filled = at;',
  },
  {
    name: 'NULL meets NULL where rows are merged',
    file: 'src/executor/operators/join/merge-keys.ts',
    from: 'if (a === null) return -1;',
    to: 'if (a === null) return (this.held[k] as Vector)[held] === null ? 0 : -1;',
    tests: ['tests/executor/merge-joins.test.ts'],
  },
  {
    name: 'a group that is merged meets one row only',
    file: 'src/executor/operators/join/merge-groups.ts',
    from: 'if (this.groupFrom < this.groupTo && sides.keys.isKept(row)) return undefined;',
    to: '',
    tests: ['tests/executor/merge-joins.test.ts'],
  },
  {
    name: 'a merge passes the row that the next one has the key of',
    file: 'src/executor/operators/join/merge-join.ts',
    from: 'selection[count++] = row;\n        at++;',
    to: 'selection[count++] = row;\n        at++;\n        heldAt++;',
    tests: ['tests/executor/merge-joins.test.ts'],
  },
  {
    name: 'a merge takes the rows of a key for one',
    file: 'src/planner/order/merge-order.ts',
    from: 'return totalAfter !== undefined && totalAfter <= keys;',
    to: 'return totalAfter !== undefined || keys > 0;',
    tests: ['tests/planner/plan/merge-join.test.ts'],
  },
  {
    name: 'merged pairs tie in nothing',
    file: 'src/planner/order/merge-order.ts',
    from: 'const totalAfter = isUnique ? stream.totalAfter : undefined;',
    to: 'const { totalAfter } = stream;',
    tests: ['tests/planner/plan/merge-join.test.ts'],
  },
  {
    name: 'rows that exist forget a condition on the row around',
    file: 'src/planner/rewrite/semi-join.ts',
    from: '[...rest, ...keys.around]',
    to: 'rest',
    tests: ['tests/engine/semi-join.test.ts'],
  },
  {
    name: 'rows that do not exist are kept by a condition on the row around',
    file: 'src/planner/rewrite/semi-join.ts',
    from: 'if (test.isNegated && keys.around.length > 0) continue;',
    to: '',
    tests: ['tests/engine/semi-join.test.ts'],
  },
  {
    name: 'crossings that are lifted above joins are forgotten',
    file: 'src/planner/rewrite/late-tests.ts',
    from: 'tests.push(rest);',
    to: 'if (tests.length === 0) tests.push(rest);',
    tests: ['tests/engine/semi-join.test.ts', 'tests/planner/rewrite/late-tests.test.ts'],
  },
  {
    name: 'recursion forgets what the anchor found',
    file: 'src/executor/operators/binding/recursive.ts',
    from: 'if (this.found === undefined) {',
    to: "if (this.found === undefined || this.state === 'anchor') {",
  },
  {
    name: 'UNKNOWN counts as decided',
    file: 'src/executor/kernels/logical.ts',
    from: 'if (value === null) out[row] = null;',
    to: 'if (value === null) out[row] = !end;',
  },
  {
    name: 'ties are broken by the key backwards',
    file: 'src/planner/bind/row-passing.ts',
    from: 'return [...new Set(input.key)].flatMap(',
    to: 'return [...new Set(input.key)].reverse().flatMap(',
  },
  {
    name: 'ties are not broken',
    file: 'src/planner/bind/row-passing.ts',
    from: 'if (input.key === undefined) return [];',
    to: 'if (input.key !== null) return [];',
  },
  {
    name: 'NULL is unique too',
    file: 'src/layout/index-layout.ts',
    from: 'if (index.unique && !hasNull)',
    to: 'if (index.unique)',
  },
  {
    name: 'restrict waits for cascades, as no_action does',
    file: 'src/executor/mutate/on-delete/references.ts',
    from: 'foreignKey.onDelete === action ?',
    to: "foreignKey.onDelete.replace('restrict', 'no_action') === action ?",
  },
  {
    name: 'except all takes away every copy',
    file: 'src/executor/operators/set.ts',
    from: 'if (left > 0) counts[key] = left - 1;',
    to: "if (left > 0 && plan.kind !== 'except') counts[key] = left - 1;",
    tests: ['tests/executor/operators.test.ts'],
  },
  {
    name: 'a range that stands mirrored keeps its direction',
    file: 'src/planner/access/sarg.ts',
    from: "lt: 'gt', lte: 'gte', gt: 'lt', gte: 'lte' }",
    to: "lt: 'lt', lte: 'lte', gt: 'gt', gte: 'gte' }",
  },
  {
    name: 'increment numbers rows as they come',
    file: 'src/executor/mutate/increment.ts',
    from: 'setValue(values, order[i] as number, next(mark, i + 1));',
    to: 'setValue(values, i, next(mark, i + 1));',
  },
  {
    name: 'text is ordered by UTF-16 units',
    file: 'src/value/compare.ts',
    from: 'return unit < 0xe000 ? unit + 0x10000 : unit;',
    to: 'return unit;',
  },
  {
    name: 'a run hides what newer sources have',
    file: 'src/storage/cursor/merge-heap.ts',
    from: 'isBelowNearer ? below : key.subarray(keyFrom, keyTo)',
    to: 'below',
  },
  {
    name: 'a column of a block forgets its NULLs',
    file: 'src/layout/column-reader.ts',
    from: 'else if (stored.isNull(slot)) values[slot - from] = null;',
    to: '',
  },
  {
    name: 'the greatest number of a zone does not count',
    file: 'src/storage/table/zones.ts',
    from: 'view.getFloat64(at + 8, true) < bound.min',
    to: 'view.getFloat64(at + 8, true) <= bound.min',
  },
  {
    name: 'offsets of 16 bits wrap',
    file: 'src/storage/columns/encode-column.ts',
    from: 'range <= 0xffff ? 2 : 4',
    to: 'range <= 0x1ffff ? 2 : 4',
  },
  {
    name: 'a group of no arguments sums to zero',
    file: 'src/executor/operators/aggregate/float64-sums.ts',
    from: 'sum === null ? null : finiteFold(sum)',
    to: 'finiteFold(sum ?? 0)',
  },
  {
    name: 'a value that is listed twice is found twice',
    file: 'src/executor/operators/scan/interval.ts',
    from: 'compareBytes(from, (ranges[i - 1] as KeyRange).from) !== 0',
    to: 'ranges[i - 1] !== undefined',
  },
  {
    name: 'a part of a key makes rows distinct',
    file: 'src/planner/rewrite/redundant-distinct.ts',
    from: 'if (relation.key === undefined) return false;',
    to: '',
  },
  {
    name: 'a merge of sorted runs puts NULL last',
    file: 'src/executor/operators/sort/run-merge.ts',
    from: 'return (Number(right === null) - Number(left === null)) * sign;',
    to: 'return (Number(left === null) - Number(right === null)) * sign;',
    needsSmallBounds: true,
  },
  {
    name: 'rows of groups without room are lost',
    file: 'src/executor/operators/aggregate/spilled-groups.ts',
    from: 'this.parts.add(keys, columns, selection, count);',
    to: 'this.parts.add(keys, columns, selection, count - 1);',
    needsSmallBounds: true,
  },
  {
    name: 'a left join that is put down loses rows without a match',
    file: 'src/executor/operators/join/join-parts.ts',
    from: '(this.isOuter || pair.held.length > 0)',
    to: 'pair.held.length > 0',
  },
  {
    name: 'an identifier that was put down comes back as bytes',
    file: 'src/executor/spill/datum-codec.ts',
    from: 'identifierFormats.indexOf(datum.format) + 1',
    to: '0',
  },
  {
    name: 'distinct rows that were put down are not looked at again',
    file: 'src/executor/operators/distinct.ts',
    from: 'if (!next) return undefined;',
    to: 'if (!next || this.isFull) return undefined;',
    needsSmallBounds: true,
  },
  {
    name: 'a survey begins all its pieces at the start',
    file: 'src/statistics/survey/survey.ts',
    from: 'const rank = i * width + world.random.unit() * room;',
    to: 'const rank = i * 781;',
    tests: ['tests/statistics/survey/survey.test.ts'],
  },
  {
    name: 'neighbours with one value say that it comes often',
    file: 'src/statistics/sketch/distinct-sketch.ts',
    from: '} else if (this.pieces[slot] !== piece) {',
    to: '} else {',
    tests: ['tests/statistics/sketch/sketches.test.ts'],
  },
  {
    name: 'a table is surveyed again at once when it was not readable',
    file: 'src/statistics/surveys.ts',
    from: 'this.findings.set(physicalId, { synopsis, rows, atMs, number, changes: 0 });',
    to: 'if (synopsis) this.findings.set(physicalId, { synopsis, rows, atMs, number, changes: 0 });',
    tests: ['tests/engine/surveys.test.ts'],
  },
  {
    name: 'rows with NULL have a value, too',
    file: 'src/statistics/synopsis/shares.ts',
    from: 'const values = 1 - nullShare(column);',
    to: 'const values = 1;',
    tests: ['tests/planner/plan/surveyed.test.ts'],
  },
  {
    name: 'a join has a pair for each value of the side with fewer',
    file: 'src/planner/cost/join-rows.ts',
    from: 'Math.max(1, left?.rows ?? 0, right?.rows ?? 0)',
    to: 'Math.max(1, Math.min(left?.rows ?? 0, right?.rows ?? 0))',
    tests: ['tests/planner/plan/surveyed.test.ts'],
  },
  {
    name: 'the first wrong estimate changes the plan',
    file: 'src/statistics/feedback/learning.ts',
    from: 'const missesMin = 2;',
    to: 'const missesMin = 1;',
    tests: ['tests/statistics/feedback/feedback.test.ts'],
  },
  {
    name: 'a plan is corrected for ever',
    file: 'src/statistics/feedback/learning.ts',
    from: 'if (this.correction !== 0) return false;',
    to: '',
    tests: ['tests/statistics/feedback/feedback.test.ts', 'tests/engine/feedback.test.ts'],
  },
  {
    name: 'what a limit cut short was estimated wrongly',
    file: 'src/statistics/feedback/observation.ts',
    from: '  if (saysNothing(observation)) return 1;',
    to: '',
    tests: ['tests/statistics/feedback/feedback.test.ts'],
  },
  {
    name: 'small limits forget what a large one has seen',
    file: 'src/statistics/feedback/learning.ts',
    from: 'if (isCut && actual <= known.mean) return;',
    to: '',
    tests: ['tests/statistics/feedback/feedback.test.ts'],
  },
  {
    name: 'what was dropped is not counted',
    file: 'src/statistics/feedback/channel.ts',
    from: 'this.dropped++;',
    to: '',
    tests: ['tests/statistics/feedback/feedback.test.ts'],
  },
  {
    name: 'a row exists as often as there are others',
    file: 'src/planner/rewrite/semi-join.ts',
    from: "return { kind: 'distinct', input: taken, ...facts };",
    to: 'return taken;',
    tests: ['tests/engine/semi-join.test.ts'],
  },
  {
    name: 'a search by the value of a key passes over equal ones',
    file: 'src/storage/table/block.ts',
    from: 'if (found < wanted) {',
    to: 'if (found <= wanted) {',
    tests: ['tests/storage/table/block.test.ts'],
  },
  {
    name: 'a text that begins in one cell and ends in the next is found',
    file: 'src/layout/text-search.ts',
    from: 'if (hit + needle.length <= end) out[count++] = slot - from;',
    to: 'out[count++] = slot - from;',
    tests: ['tests/layout/text-search.test.ts'],
  },
  {
    name: 'rows of a run that begins behind its block are read from the start of it',
    file: 'src/layout/column-reader.ts',
    from: 'const slot = from + at;',
    to: 'const slot = at;',
    tests: ['tests/layout/text-search.test.ts'],
  },
  {
    name: 'a list of which some rows were read counts as all of it',
    file: 'src/executor/operators/crossing/run-together.ts',
    from: 'if (outcome.isWhole || this.isEnough(outcome, i))',
    to: 'if (true)',
    tests: ['tests/executor/rows-ahead.test.ts'],
  },
  {
    name: 'a slice of many runs cuts all of them once',
    file: 'src/executor/operators/slice.ts',
    from: 'if (before >= offset && before < end)',
    to: 'if (before >= offset)',
    tests: ['tests/executor/rows-ahead.test.ts'],
  },
  {
    name: 'keys with the same first bytes stay in the order in which they came',
    file: 'src/executor/operators/scan/key-positions.ts',
    from: 'if (to - from > 1) {',
    to: 'if (to - from > batchRowsMax) {',
    tests: ['tests/executor/key-positions.test.ts'],
  },
  {
    name: 'keys are found by their low bits',
    file: 'src/executor/batch/int-codes.ts',
    from: 'const isTaken = place === key && ',
    to: 'const isTaken = ',
    tests: ['tests/executor/joins.test.ts'],
  },
  {
    name: 'an entry that is no run shows the value of the one before',
    file: 'src/storage/table/table-cursor.ts',
    from: 'if (this.prefersRuns) block.values.join(from, this);',
    to: '',
    tests: ['tests/storage/columns/runs.test.ts'],
  },
  {
    name: '-0 and 0 are in different parts of many keys',
    file: 'src/executor/batch/identity-codes.ts',
    from: 'bits.setFloat64(0, Number(key) + 0);',
    to: 'bits.setFloat64(0, Number(key));',
    tests: ['tests/generative/large/large.test.ts'],
  },
  {
    name: 'a filter by exists is a join also where its rows can raise',
    file: 'src/planner/lower/filter.ts',
    from: 'if (planning.hazards.relationCanRaise(filter.input)) return undefined;',
    to: '',
    tests: ['tests/engine/semi-join.test.ts'],
  },
];
