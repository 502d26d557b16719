/** Request bodies parsed in one go. */

import { finishSteps, unpaced } from '#base';
import { type ParsedJson, parseJsonSteps } from '#value';

export function parseJson(text: string, depthMax: number): ParsedJson {
  return finishSteps(parseJsonSteps(text, depthMax, unpaced));
}
