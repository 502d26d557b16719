/** What a process that reads only refuses. */

import { fail } from '#failure';
import { pointerOf } from '#lir';
import type { Program } from '#pir';

const readOnlyDetail = 'this process serves reads only: send what writes to the writer';

/** A dry run binds and plans only, and is not refused (docs/readers.md, "Roles"). */
export function refuseWrites(program: Program): void {
  program.statements.forEach((statement, index) => {
    if (statement.kind === 'query') return;
    const { kind, name } = statement;
    const location = { pointer: pointerOf(['statements', index, 'kind']), binding: name };
    const detail = `statement ${JSON.stringify(name)}: ${kind} writes, and ${readOnlyDetail}`;
    throw fail('read_only', detail, { location });
  });
}
