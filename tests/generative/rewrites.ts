/** Which techniques of the planner a program is about: those without which its plan would be another one. */

import { anyone } from '#access';
import { neverYield, runWithoutWaiting } from '#base';
import type { Catalog } from '#catalog';
import { checkEnvelope, type Program } from '#pir';
import { type PlanOptions, planProgramSteps } from '#planner';
import { checkProgram } from '#wire';
import { explainProgram } from '../support/plans.ts';
import { lies } from '../support/synopses.ts';

/** `zones` is not among them: a plan that uses zones reads as one that does not. */
const techniques: readonly NonNullable<PlanOptions['without']>[number][] = [
  'index_only',
  'join_order',
  'key_lists',
  'late_tests',
  'membership',
  'merge_join',
  'outer_to_inner',
  'redundant_distinct',
  'rows_ahead',
  'semi_join',
];

/** Plans are made anew: for a part of the programs only. Of a program that is refused: none. */
export function techniquesOf(program: Program, catalog: Catalog): readonly string[] {
  try {
    // What is no graph has no plan.
    checkProgram(program);
    const whole = textOf(program, catalog, []);
    return techniques.filter((technique) => textOf(program, catalog, [technique]) !== whole);
  } catch {
    return [];
  }
}

function textOf(
  program: Program,
  catalog: Catalog,
  without: NonNullable<PlanOptions['without']>,
): string {
  const options: PlanOptions = { accessPaths: 'all', crossings: 'spooled', without };
  // The same wrong ideas of the tables for each plan of a program.
  const statistics = lies(1);
  const result = checkEnvelope(program, { mode: 'direct' });
  const setting = { catalog, options, statistics, principal: anyone, pace: neverYield };
  const plan = runWithoutWaiting(planProgramSteps(program, { result }, setting));
  const texts = explainProgram(plan).statements.map(({ text }) => text);
  // What was considered and guessed is not the plan.
  return texts
    .join('\n')
    .replaceAll(/ \| why [^|[]*(?= [|[])/g, '')
    .replaceAll(/ ?\| \[[^\]]*\]$/gm, '')
    .replaceAll(/outer \d+/g, 'outer');
}
