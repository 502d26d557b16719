/** Refuses writes on a read-only reader. */

import { fail } from '#failure';
import { pointerOf } from '#lir';
import type { Program } from '#pir';

const readOnlyDetail = 'this server is a read-only reader; send writes to the writer';

/**
 * Throws if the program contains a statement that writes. A dry run only binds and plans, so it is not refused
 * (docs/readers.md, "Roles").
 */
export function refuseWrites(program: Program): void {
  program.statements.forEach((statement, index) => {
    if (statement.kind === 'query') return;
    const { kind, name } = statement;
    const location = { pointer: pointerOf(['statements', index, 'kind']), binding: name };
    const detail = `statement ${JSON.stringify(name)}: ${kind} writes, but ${readOnlyDetail}`;
    throw fail('read_only', detail, { location });
  });
}
