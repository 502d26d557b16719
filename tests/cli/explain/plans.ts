/** Plans and diagnostics as a server would answer with them. */

import type { OperatorMeasure, PlanNode, ProgramDiagnostics } from '#client';

type NodeParts = Partial<Omit<PlanNode, 'operator' | 'id'>>;

export function node(operator: string, id: number, parts: NodeParts = {}): PlanNode {
  return { operator, id, estimated_rows: 1, details: {}, inputs: [], ...parts };
}

export function measure(
  operatorId: number,
  outputRows: number,
  micros: readonly [inclusive: number, exclusive: number],
  more: Partial<OperatorMeasure> = {},
): OperatorMeasure {
  const [inclusiveMicros, exclusiveMicros] = micros;
  return {
    operatorId,
    opens: 1,
    calls: 2,
    inclusiveMicros,
    exclusiveMicros,
    inputRows: outputRows,
    outputRows,
    complete: true,
    ...more,
  };
}

interface Told {
  readonly statement?: string;
  readonly kind?: string;
  readonly operators?: readonly OperatorMeasure[];
  readonly dropped?: number;
  readonly affectedRows?: number;
}

export function diagnostics({
  statement = 'q',
  kind = 'query',
  operators = [],
  dropped = 0,
  affectedRows = 7,
}: Told = {}): ProgramDiagnostics {
  return {
    durationUs: 92_400,
    planningUs: 4_360,
    executionUs: 82_600,
    kv: { gets: 800, scans: 41, iterated: 1257, bytesRead: 48 << 10 },
    statements: [{ name: statement, kind, status: 'success', affectedRows }],
    truncated: false,
    plans: [
      {
        statement,
        operatorTrace: { operators, dropped, unattributedMicros: 930 },
        physicalStorage: {
          memoryCache: { hits: 75, misses: 2 },
          localCache: { hits: 0, misses: 0 },
          backingReads: { calls: 2, bytes: 11 << 10, micros: 40 },
        },
      },
    ],
  };
}

/** Orders of large totals by the cities of their users: the planner expected more of the orders, and fewer users. */
export const joined = node('sort', 4, {
  node: 'ord',
  estimated_rows: 8,
  order: ['city'],
  details: { terms: ['city'] },
  inputs: [
    node('aggregate', 3, {
      estimated_rows: 8,
      estimated_from: 'assumed',
      details: { groups: ['city'], folds: ['count()', 'sum(total)'] },
      inputs: [
        node('hash_join', 2, {
          estimated_rows: 2000,
          estimated_from: 'assumed',
          details: { join: 'inner', on: ['user = id'], build: 'left' },
          inputs: [
            node('scan', 0, {
              estimated_rows: 2000,
              estimated_from: 'surveyed',
              details: {
                table: 'orders',
                access: 'index by_total: total > 970',
                columns: ['user', 'total'],
                why: 'index by_total of 2000 rows (surveyed) costs 200200, table of 200000 rows (counted) costs 340000',
              },
            }),
            node('scan', 1, {
              estimated_rows: 20,
              estimated_from: 'counted',
              rows_max: 1000,
              details: { table: 'users', access: 'whole table', columns: ['id', 'city'] },
            }),
          ],
        }),
      ],
    }),
  ],
});

export const joinedMeasures: readonly OperatorMeasure[] = [
  measure(0, 120, [3_560, 3_560]),
  measure(1, 500, [890, 890]),
  measure(2, 120, [8_100, 3_650]),
  measure(3, 7, [8_690, 590], { calls: 4 }),
  measure(4, 7, [8_930, 240]),
];
