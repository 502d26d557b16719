/** Checks whether epoch claims of a directory are missing (`svc doctor store`). */

import { readClaims } from '../manifest/claims.ts';
import { epochName } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import { type CheckResult, failed, passed } from './findings.ts';

/** Maximum number of claims to restore. If more seem to be missing, some name contains an epoch that no writer ever had. */
export const restoredMax = 10_000;

/** Checks the claims. Only reads, and may run while a server uses the directory. */
export async function examineClaims(objects: ObjectStore): Promise<Omit<CheckResult, 'name'>> {
  const { missing, highest, witness } = await readClaims(objects);
  const [first] = missing;
  if (first === undefined)
    return passed(`${highest} ${highest === 1 ? 'claim' : 'claims'}, none is missing`);
  const claimed = Math.max(highest, missing.at(-1) ?? 0);
  const shown = missing.length === 1 ? epochName(first) : `${epochName(first)} and others`;
  if (missing.length > restoredMax) {
    return failed(`${shown} are missing, unless ${witness} was not created by svc`);
  }
  return failed(
    `${missing.length} of ${claimed} claims are missing: ${shown}; the proof is ${witness}`,
    { missing: missing.map(epochName), witness },
  );
}
