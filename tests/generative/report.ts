/** What was found, for people: what each way answered, and a case to commit. */

import { caseOf, caseText } from './as-case.ts';
import { generateScenario } from './program.ts';
import type { Found } from './search.ts';

export function reportOf({ scenario, difference }: Found): string {
  const { changes, seeds, programs } = generateScenario(scenario);
  const { before, program, expected, report } = difference;
  const file = caseText(caseOf('found_by_generation', changes, before, program, expected));
  const at = [...seeds, ...programs].indexOf(program);
  const history = [...seeds, ...programs].slice(0, Math.max(at, 0));
  return [
    'Two ways differ.',
    report,
    `As a case, if the state before the program is enough to show it:\n${file}`,
    `What ran before it:\n${history.map((earlier) => JSON.stringify(earlier)).join('\n')}`,
    `Made from: ${JSON.stringify(scenario)}`,
  ].join('\n\n');
}
