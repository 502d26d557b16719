/** The text of a compiled statement in a golden: its parameters, columns and program, or its error. */

import { SqlError } from '#sql';
import { sqlTypes } from '../../../src/sql/types/registry.ts';
import { type SqlSession, valuesOf } from '../support/run-sql.ts';

export function goldenText(session: SqlSession, statements: readonly string[]): string {
  return `${statements.map((text) => `${text}\n${resultOf(session, text)}`).join('\n\n')}\n`;
}

function resultOf(session: SqlSession, text: string): string {
  try {
    return compiledText(session, text);
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    const { sqlstate, message, position, detail, hint } = error.trouble;
    const place = position === undefined ? '' : ` at ${position}`;
    return [`  ${sqlstate}${place}: ${message}`, detail, hint]
      .filter((line) => line !== undefined)
      .join('\n    ');
  }
}

function compiledText(session: SqlSession, text: string): string {
  const compiled = session.compile(text);
  const { parameters, columns = [] } = compiled;
  const types = parameters.map(({ name }, at) => `$${at + 1} ${name}`);
  const shown = columns.map(({ name, type, shape }) => {
    const of = shape.kind === 'scalar' ? '' : ` (${shape.kind})`;
    return `${name} ${type.name}${of}`;
  });
  const values = valuesOf(parameters.map((type) => (type.element ? [] : sampleOf(type.name))));
  const { program } = compiled.instantiate(values);
  const lines = program.statements.map((statement) =>
    'relation' in statement
      ? `${statement.kind} ${relationText(statement.relation)}`
      : JSON.stringify(statement),
  );
  const facts = [...(types.length > 0 ? [types.join(', ')] : []), shown.join(', '), ...lines];
  return facts.map((line) => `  ${line}`).join('\n');
}

/** A pattern, and a unit of time. */
const sampleText = 'month';

/** A value for each type, so that the program has all of its parts. */
function sampleOf(name: string) {
  const { stored } = sqlTypes[name as keyof typeof sqlTypes];
  return stored === 'text' ? sampleText : stored === 'bool' ? true : stored === 'bytes' ? null : 5;
}

function relationText({
  nodes,
  bindings,
  root,
}: {
  nodes: object;
  bindings?: object;
  root: object;
}) {
  const parts = [...Object.entries(nodes), ...Object.entries(bindings ?? {}), ['root', root]];
  return parts.map(([name, part]) => `\n    ${name} ${JSON.stringify(part)}`).join('');
}
