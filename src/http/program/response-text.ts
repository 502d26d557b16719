/** Builds the part of a program response after its result. */

import type { PreparedProgram, ProgramResponse } from '#engine';
import { encodeText } from '#value';
import type { Diagnosis } from './diagnosis/diagnosis.ts';

/** Returns JSON text from the comma after the result to the end of the response. */
export function restOf(response: ProgramResponse, diagnosis: Diagnosis | undefined): string {
  const { statements, prepared } = response;
  const heads = headsOf(prepared);
  let text = ',"statements":[';
  for (let i = 0; i < statements.length; i++) {
    const { affected, control } = statements[i] as (typeof statements)[number];
    const handle = control === undefined ? 'null}' : `${JSON.stringify(control)}}`;
    text += `${heads[i]}${affected},"control":${handle}`;
  }
  const plan = response.plan === undefined ? '' : `,"plan":${JSON.stringify(response.plan)}`;
  const extension = diagnosis === undefined ? '' : `,"_svc":{"diagnostics":${diagnosis.text()}}`;
  return `${text}]${plan}${extension}}`;
}

const known = new WeakMap<PreparedProgram, readonly string[]>();

/** Returns, by statement, the JSON text up to the number of rows. The names are the same for each execution of a program. */
function headsOf(prepared: PreparedProgram): readonly string[] {
  let heads = known.get(prepared);
  if (heads === undefined) {
    const headOf = (name: string) => `{"name":${encodeText(name)},"affected":`;
    heads = prepared.plan.statements.map(({ name }, i) => (i === 0 ? '' : ',') + headOf(name));
    known.set(prepared, heads);
  }
  return heads;
}
