/** Request bodies parsed in one go. */

import { neverYield, runWithoutWaiting } from '#base';
import { type ParsedJson, parseJsonSteps } from '#value';

export function parseJson(text: string, depthMax: number): ParsedJson {
  return runWithoutWaiting(parseJsonSteps(text, depthMax, neverYield));
}
