/** What stands in the answer to a program after its result. */

import type { ProgramResponse } from '#engine';
import { encodeText } from '#value';
import type { Diagnosis } from './diagnosis/diagnosis.ts';

/** JSON text, from the comma after the result to the end of the answer. */
export function restOf(response: ProgramResponse, diagnosis: Diagnosis | undefined): string {
  let statements = '';
  for (const { name, affected, control } of response.statements) {
    const separator = statements === '' ? '' : ',';
    const handle = control === undefined ? 'null' : JSON.stringify(control);
    statements += `${separator}{"name":${encodeText(name)},"affected":${affected},"control":${handle}}`;
  }
  const plan = response.plan === undefined ? '' : `,"plan":${JSON.stringify(response.plan)}`;
  const extension = diagnosis === undefined ? '' : `,"_svc":{"diagnostics":${diagnosis.text()}}`;
  return `,"statements":[${statements}]${plan}${extension}}`;
}
