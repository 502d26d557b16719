/** A program that prints the kinds of the statements of its argument. */

import { loadParser } from '#sql';

const parser = await loadParser();
const statements = parser.statements(process.argv.at(-1) ?? '');
process.stdout.write(`${statements.map(({ statement }) => statement.kind).join(' ')}\n`);
