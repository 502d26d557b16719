/** Definitions of problem documents, the bodies of all responses other than 2xx and 304 (RFC 9457, docs/errors.md). */

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

const ProblemLocation = closed('A position in the request; members that do not apply are absent.', {
  pointer: optional(
    Type.String({
      description:
        'JSON Pointer (RFC 6901) into the submitted document, empty for the whole document. For errors of the HTTP request it begins with `/body`, `/query`, `/path` or `/header`.',
    }),
  ),
  node: text('The id of an LIR node.'),
  binding: text('The name of a binding or of a statement.'),
  scope: text('The scope of a relation.'),
  role: text('The structural role for display, such as `predicate` or `order term 0`.'),
});

const diagnosticMembers = {
  reason: name('The exact error, as a stable token.'),
  detail: Type.String({ description: 'The explanation of this occurrence.' }),
  location: member('ProblemLocation'),
};
const InvalidDiagnostic = closed('One of several findings.', diagnosticMembers);

const extensions = { _svc: optional(ref<object>('Extensions')) };

const plan = optional(
  Type.Unknown({
    description: 'The plan, if the request asked for it and failed after planning.',
  }),
);

/** Members of problems that concern a program or one of its statements. */
const ofProgram = {
  location: member('ProblemLocation'),
  execution: member('ExecutionContext'),
  plan,
  ...extensions,
};

/** Returns the name and the schema of a problem. The description lists the reasons instead of an `enum`: later versions may add reasons, and a client falls back to the code. */
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
    code: tag(code, 'The class of the error. Clients branch on it first.'),
    reason: name(`The exact error, as a stable token: ${known}. Later versions may add tokens.`),
    stage: oneOf('The stage that rejected the operation or failed.', stages),
    detail: Type.String({ description: 'The explanation of this occurrence.' }),
    ...more,
  });
  return [title, schema] as const;
}

const variantsOfProblem = Object.fromEntries([
  problem('invalid', 'The request is invalid for the current catalog and rows.', {
    ...ofProgram,
    errors: optional(
      list(
        'All findings, including this one; present if there are at least two.',
        ref<Static<typeof InvalidDiagnostic>>('InvalidDiagnostic'),
        2,
      ),
    ),
  }),
  problem('execution_failed', 'The program failed because of a value in the data.', ofProgram),
  problem('not_found', 'The requested object does not exist.', {
    resource: member('ResourceContext'),
  }),
  problem(
    'conflict',
    'Another request came first; the same request may succeed when it is sent again.',
    {
      ...extensions,
      conflict: member('ConflictContext'),
    },
  ),
  problem(
    'internal',
    'The server could not execute the request; the cause is not in the request.',
    {
      plan,
      ...extensions,
      incident: text('The incident number, which the log of the server contains too.'),
    },
  ),
  problem(
    'unauthenticated',
    'The request has no valid access token. Only servers with authentication return this.',
    {},
  ),
  problem(
    'forbidden',
    'The access token does not permit the request. Only servers with authentication return this.',
    {
      location: member('ProblemLocation'),
      execution: member('ExecutionContext'),
      ...extensions,
    },
  ),
  problem(
    'limited',
    'The client sends too many requests; `Retry-After` contains the time to wait. Only servers with authentication return this.',
    {},
  ),
]);

export const problemDefinitions = {
  Problem: variants<object>('Why the request failed.', Object.keys(variantsOfProblem)),
  ...variantsOfProblem,
  ProblemLocation,
  InvalidDiagnostic,
  ExecutionContext: closed('A position in the plan; members that do not apply are absent.', {
    operator: text('The operator, as named in plans.'),
    operator_id: text('The number of the operator in the plan.'),
    table: text('The table.'),
    index: text('The index, or the foreign key that rejected a row.'),
    binding: text('The binding to which the operator belongs.'),
    crossing: text(
      'The innermost crossing (correlated subquery) to which the operator belongs, as named in plans.',
    ),
  }),
  ResourceContext: closed('The requested object.', {
    kind: name('The kind of object.'),
    name: text('The name of the object.'),
  }),
  ConflictContext: closed('The object of the conflict; members that do not apply are absent.', {
    object: optional(oneOf('The kind of object.', ['table', 'index'])),
    table: text('The table.'),
    index: text('The index that is being completed.'),
    operation: optional(
      oneOf('The operation that the program would have executed.', [
        'read',
        'insert',
        'update',
        'delete',
      ]),
    ),
  }),
};
