/** From JSON to a query whose grammar and graph are right. */

import { finishSteps, type Pace, type Steps, unpaced } from '#base';
import { fail } from '#failure';
import { checkGraph, type Query } from '#lir';
import { programLimits } from '#pir';
import { compileDefinition } from '../check/compile.ts';
import type { Definitions } from '../check/json-schema.ts';
import { Report, type SchemaFinding } from '../check/report.ts';
import { violation } from '../check/violation.ts';
import { lirDefinitions } from './query.ts';
import { checkRows, namedCells } from './rows.ts';

const checkGrammar = compileDefinition('Query', lirDefinitions as Definitions, {
  RowsNode: checkRows,
});

/** What is wrong with a LIR document: with its grammar, and with its payloads. */
export function reportQuery(json: unknown): {
  readonly grammar: readonly SchemaFinding[];
  readonly payload: readonly SchemaFinding[];
} {
  const report = new Report();
  checkGrammar(json, 0, report);
  const { grammar, payload } = report;
  if (grammar.length + payload.length === 0) return report;
  return { grammar: namedCells(grammar, json), payload: namedCells(payload, json) };
}

/** The body of a QUERY request. `json` itself is returned: a checked document has the type of a query as it is. */
export function checkQuery(json: unknown): Query {
  return finishSteps(checkQuerySteps(json, unpaced));
}

/** As `checkQuery`, giving way before the grammar and before the graph as `pace` demands. */
export function* checkQuerySteps(json: unknown, pace: Pace): Steps<Query> {
  const before = pace.pause(Infinity);
  if (before !== undefined) yield before;
  const report = reportQuery(json);
  if (report.grammar.length > 0) throw violation(report.grammar, { status: 400 });
  if (report.payload.length > 0) throw violation(report.payload, { status: 422 });
  const query = json as Query;
  if (Object.keys(query.nodes).length > programLimits.nodesMax) {
    throw fail('invalid', `a query has at most ${programLimits.nodesMax} nodes`, {
      location: { pointer: '/nodes' },
    });
  }
  const between = pace.pause(Infinity);
  if (between !== undefined) yield between;
  checkGraph(query);
  return query;
}
