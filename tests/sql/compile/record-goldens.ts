/** Records the programs of the golden statements. Read the difference before you commit it. */

import { openSql } from '../support/run-sql.ts';
import { goldenStatements } from './golden-statements.ts';
import { goldenText } from './golden-text.ts';
import { createItems } from './items.ts';

const session = await openSql();
await createItems(session);
for (const [subject, statements] of Object.entries(goldenStatements)) {
  const path = `${import.meta.dir}/goldens/${subject.replaceAll(' ', '-')}.golden`;
  await Bun.write(path, goldenText(session, statements));
}
await session.engine.close();
