/** From JSON to a query whose grammar and graph are right. */

import { finishSteps, type Pace, type Steps, unpaced } from '#base';
import { fail } from '#failure';
import { checkGraphSteps, type Query } from '#lir';
import { programLimits } from '#pir';
import { isObject } from '../check/check.ts';
import { compileDefinition } from '../check/compile.ts';
import type { Definitions } from '../check/json-schema.ts';
import { Report, type SchemaFinding } from '../check/report.ts';
import { violation } from '../check/violation.ts';
import { lirDefinitions } from './query.ts';
import { areCells, checkRows, namedCells } from './rows.ts';

const refinements = { RowsNode: checkRows };
const checkGrammar = compileDefinition('Query', lirDefinitions as Definitions, refinements);
const checkNode = compileDefinition('Node', lirDefinitions as Definitions, refinements);

/** What a node costs beside its rows, in rows of work. */
const nodeWork = 64;
/** A report holds no more findings. */
const wrongMax = 512;

interface QueryReport {
  readonly grammar: readonly SchemaFinding[];
  readonly payload: readonly SchemaFinding[];
}

/** What is wrong with a LIR document: with its grammar, and with its payloads. */
export function reportQuery(json: unknown): QueryReport {
  return finishSteps(reportQuerySteps(json, unpaced));
}

/** The same, giving way between nodes, and within their rows, as `pace` demands. */
export function* reportQuerySteps(json: unknown, pace: Pace): Steps<QueryReport> {
  // Where nothing is wrong is found piece by piece; what is, in one go and in order.
  const report = new Report(yield* rightNodes(json, pace));
  checkGrammar(json, 0, report);
  const { grammar, payload } = report;
  if (grammar.length + payload.length === 0) return report;
  return { grammar: namedCells(grammar, json), payload: namedCells(payload, json) };
}

function* rightNodes(json: unknown, pace: Pace): Steps<ReadonlySet<unknown>> {
  const right = new Set<unknown>();
  const nodes = isObject(json) ? json.nodes : undefined;
  if (!isObject(nodes)) return right;
  let wrong = 0;
  for (const name in nodes) {
    const node = nodes[name];
    if (isObject(node) && Array.isArray(node.rows) && (yield* areCells(node.rows, pace))) {
      right.add(node.rows);
    }
    const report = new Report(right);
    checkNode(node, 0, report);
    if (report.count === 0) right.add(node);
    // A hopeless document: nobody reads all that is wrong with it.
    else if (++wrong > wrongMax) break;
    const wait = pace.pause(nodeWork);
    if (wait !== undefined) yield wait;
  }
  return right;
}

/** The body of a QUERY request. `json` itself is returned: a checked document has the type of a query as it is. */
export function checkQuery(json: unknown): Query {
  return finishSteps(checkQuerySteps(json, unpaced));
}

/** As `checkQuery`, giving way as `pace` demands. */
export function* checkQuerySteps(json: unknown, pace: Pace): Steps<Query> {
  const before = pace.pause(Infinity);
  if (before !== undefined) yield before;
  const report = yield* reportQuerySteps(json, pace);
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
  yield* checkGraphSteps(query, pace);
  return query;
}
