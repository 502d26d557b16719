/** Checks of whole request bodies. One error with status 422 contains all findings. */

import type { Check } from './check.ts';
import { compileDefinition } from './compile.ts';
import type { Definitions } from './json-schema.ts';
import { Report } from './report.ts';
import { violation } from './violation.ts';

/** Returns a check of the body that the definition `name` describes. Pointers start with `/body`. */
export function bodyCheck<Body>(
  name: string,
  definitions: Definitions,
  more: Readonly<Record<string, Check>> = {},
): (json: unknown) => Body {
  const check = compileDefinition(name, definitions, more);
  return (json) => {
    const report = new Report();
    check(json, 0, report);
    const { grammar } = report;
    if (grammar.length > 0) throw violation(grammar, { status: 422, prefix: '/body' });
    return json as Body;
  };
}
