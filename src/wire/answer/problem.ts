/** Everything that is not 2xx or 304: problem documents (RFC 7807, docs/errors.md). */

import { type Static, Type } from '@sinclair/typebox';
import { type Code, type Reason, reasons, type Stage, titles } from '#failure';
import { closed, list, name, oneOf, optional, ref, tag, variants } from '../schema/shapes.ts';

const stages: readonly Stage[] = [
  'schema',
  'preflight',
  'binding',
  'planning',
  'execution',
  'storage',
];

const text = (description: string) => optional(name(description));
const member = (definition: string) => optional(ref<object>(definition));

const ProblemLocation = closed('Where in what was sent; members that are not known are absent.', {
  pointer: optional(
    Type.String({
      description:
        'RFC 6901, into the submitted document, empty for the whole of it; begins with `/body`, `/query`, `/path` or `/header` where HTTP is what is wrong.',
    }),
  ),
  node: text('The id of an LIR node.'),
  binding: text('The name of a binding or of a statement.'),
  scope: text('The scope of a relation.'),
  role: text('The structural role, for display: `predicate`, `order term 0`.'),
});

const diagnosticMembers = {
  reason: name('What exactly is wrong, as a stable token.'),
  detail: Type.String({ description: 'The explanation of this occurrence.' }),
  location: member('ProblemLocation'),
};
const InvalidDiagnostic = closed('One of several findings.', diagnosticMembers);

const extensions = { _svc: optional(ref<object>('Extensions')) };

const plan = optional(
  Type.Unknown({
    description: 'The plan, if it was asked for and the failure came after planning.',
  }),
);

/** Of what is found out about a program, or about one of its statements. */
const ofProgram = {
  location: member('ProblemLocation'),
  execution: member('ExecutionContext'),
  plan,
  ...extensions,
};

/** Known reasons stand in the description and not in an enumeration: others may come, and a client falls back to the code. */
function problem(code: Code, description: string, more: Parameters<typeof closed>[1]) {
  const rows = Object.entries(reasons).filter(([, row]) => row.code === code);
  const known = rows.map(([reason]) => `\`${reason as Reason}\``).join(', ');
  const title = `${code}Problem`.replace(/(?:^|_)([a-z])/g, (_, first: string) =>
    first.toUpperCase(),
  );
  const schema = closed(description, {
    type: tag(`urn:svc:problem:${code}`),
    title: tag(titles[code]),
    status: Type.Integer({ description: 'The HTTP status.', minimum: 400, maximum: 599 }),
    code: tag(code, 'The class: clients branch on this one first.'),
    reason: name(`What exactly is wrong, as a stable token. Known: ${known}; more may come.`),
    stage: oneOf('The stage that rejected the operation, or failed.', stages),
    detail: Type.String({ description: 'The explanation of this occurrence.' }),
    ...more,
  });
  return [title, schema] as const;
}

const variantsOfProblem = Object.fromEntries([
  problem('invalid', 'The request is wrong, for the catalog and the rows as they are.', {
    ...ofProgram,
    errors: optional(
      list(
        'All findings, this one included; only where there are two at least.',
        ref<Static<typeof InvalidDiagnostic>>('InvalidDiagnostic'),
        2,
      ),
    ),
  }),
  problem('execution_failed', 'A value of the data made the program fail.', ofProgram),
  problem('not_found', 'What was addressed does not exist.', {
    resource: member('ResourceContext'),
  }),
  problem('conflict', 'A race was lost: the same request may win at once.', {
    ...extensions,
    conflict: member('ConflictContext'),
  }),
  problem('internal', 'The server could not: the cause is not in the request.', {
    plan,
    ...extensions,
    incident: text('The same as in the log of the server.'),
  }),
]);

export const problemDefinitions = {
  Problem: variants<object>('Why the request failed.', Object.keys(variantsOfProblem)),
  ...variantsOfProblem,
  ProblemLocation,
  InvalidDiagnostic,
  ExecutionContext: closed('Where in the plan; members that are not known are absent.', {
    operator: text('The operator, as plans name them.'),
    operator_id: text('Its number in the plan.'),
    table: text('The table.'),
    index: text('The index, or the foreign key that refused a row.'),
    binding: text('The binding that the operator belongs to.'),
    crossing: text('The innermost crossing that it belongs to, as plans name them.'),
  }),
  ResourceContext: closed('What was addressed.', {
    kind: name('The kind of thing.'),
    name: text('Its name.'),
  }),
  ConflictContext: closed('What the race was about; members that are not known are absent.', {
    object: optional(oneOf('The kind of thing.', ['table', 'index'])),
    table: text('The table.'),
    index: text('The index that is being finished.'),
    operation: optional(
      oneOf('What the program would have done.', ['read', 'insert', 'update', 'delete']),
    ),
  }),
};
