/** Checks JSON as a query: its grammar, its payloads and its graph. */

import { neverYield, runWithoutWaiting, type Steps, type YieldPolicy } from '#base';
import { fail } from '#failure';
import { checkGraphSteps, type Query } from '#lir';
import { programLimits } from '#pir';
import { isObject } from '../check/check.ts';
import { compileDefinition } from '../check/compile.ts';
import type { Definitions } from '../check/json-schema.ts';
import { type GrammarError, Report } from '../check/report.ts';
import { violation } from '../check/violation.ts';
import { lirDefinitions } from './query.ts';
import { areCells, checkRows, namedCells } from './rows.ts';

const refinements = { RowsNode: checkRows };
const checkGrammar = compileDefinition('Query', lirDefinitions as Definitions, refinements);
const checkNode = compileDefinition('Node', lirDefinitions as Definitions, refinements);

/** Work per node in addition to that of its rows, in rows. */
const nodeWork = 64;
/** Maximum number of invalid nodes, equal to the maximum number of findings of a report. */
const wrongMax = 512;

interface QueryReport {
  readonly grammar: readonly GrammarError[];
  readonly payload: readonly GrammarError[];
}

/** Returns the errors of a LIR document: those of its grammar and those of its payloads. */
export function reportQuery(json: unknown): QueryReport {
  return runWithoutWaiting(reportQuerySteps(json, neverYield));
}

/** Like `reportQuery`, but yields between nodes and within their rows according to `pace`. */
export function* reportQuerySteps(json: unknown, pace: YieldPolicy): Steps<QueryReport> {
  // The first pass checks node by node and yields. The second pass skips valid nodes and reports all errors in document order, without yielding.
  const report = new Report(yield* rightNodes(json, pace));
  checkGrammar(json, 0, report);
  const { grammar, payload } = report;
  if (grammar.length + payload.length === 0) return report;
  return { grammar: namedCells(grammar, json), payload: namedCells(payload, json) };
}

function* rightNodes(json: unknown, pace: YieldPolicy): Steps<ReadonlySet<unknown>> {
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
    // With this many invalid nodes the report is full anyway.
    else if (++wrong > wrongMax) break;
    const wait = pace.pause(nodeWork);
    if (wait !== undefined) yield wait;
  }
  return right;
}

/** Checks the body of a QUERY request. Returns `json` itself: a checked document is a `Query` without conversion. */
export function checkQuery(json: unknown): Query {
  return runWithoutWaiting(checkQuerySteps(json, neverYield));
}

/** Like `checkQuery`, but yields according to `pace`. */
export function* checkQuerySteps(json: unknown, pace: YieldPolicy): Steps<Query> {
  const before = pace.pause(Infinity);
  if (before !== undefined) yield before;
  const report = yield* reportQuerySteps(json, pace);
  if (report.grammar.length > 0) throw violation(report.grammar, { status: 400 });
  if (report.payload.length > 0) throw violation(report.payload, { status: 422 });
  const query = json as Query;
  if (Object.keys(query.nodes).length > programLimits.nodesMax) {
    throw fail('invalid', `a query must have at most ${programLimits.nodesMax} nodes`, {
      location: { pointer: '/nodes' },
    });
  }
  const between = pace.pause(Infinity);
  if (between !== undefined) yield between;
  yield* checkGraphSteps(query, pace);
  return query;
}
