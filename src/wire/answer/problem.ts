/** The answer to a request that fails (RFC 9457; docs/errors.md). Not closed: members may be added. */

import { type Static, Type } from '@sinclair/typebox';
import { list, oneOf, optional, ref } from '../schema/shapes.ts';

const text = (description: string) => Type.String({ description });
const maybe = (description: string) => optional(text(description));

const ProblemLocation = Type.Object(
  {
    pointer: maybe('JSON pointer (RFC 6901) into the submitted document.'),
    node: maybe('The id of a node.'),
    binding: maybe('The name of a binding or statement.'),
    scope: maybe('The label of a scope.'),
    role: maybe('The part in words, such as `predicate`.'),
  },
  { description: 'Where in the request; members that are unknown are left out.' },
);

const InvalidDiagnostic = Type.Object(
  {
    reason: text('What is wrong, as a stable token.'),
    detail: text('What is wrong, in words.'),
    location: optional(ref<Static<typeof ProblemLocation>>('ProblemLocation')),
  },
  { description: 'One of several findings.' },
);

const ExecutionContext = Type.Object(
  {
    operator: maybe('The physical operator.'),
    operator_id: maybe('Its id within the plan.'),
    table: maybe('The table.'),
    index: maybe('The index.'),
    binding: maybe('The binding.'),
    crossing: maybe('The crossing.'),
  },
  { description: 'What was running.' },
);

const ResourceContext = Type.Object(
  { kind: text('The kind of the resource.'), name: maybe('Its name.') },
  { description: 'What was not found.' },
);

const ConflictContext = Type.Object(
  {
    object: optional(oneOf('The kind of object that was raced for.', ['table', 'index'])),
    table: maybe('The table.'),
    index: maybe('The index.'),
    operation: optional(
      oneOf('What was being done.', ['read', 'insert', 'update', 'delete'] as const),
    ),
  },
  { description: 'What another transaction changed meanwhile.' },
);

export const problemDefinitions = {
  Problem: Type.Object(
    {
      type: text('URN of the class: `urn:svc:problem:` and the code.'),
      title: text('The class in words.'),
      status: Type.Integer({ description: 'The HTTP status.' }),
      code: oneOf('The class. Branch on this first.', [
        'invalid',
        'execution_failed',
        'not_found',
        'conflict',
        'internal',
      ]),
      reason: text(
        'The identity within the class. Fall back to `code` for reasons you do not know.',
      ),
      detail: maybe('What happened this time.'),
      stage: optional(
        oneOf('How far the request got.', [
          'schema',
          'preflight',
          'binding',
          'planning',
          'execution',
          'storage',
        ]),
      ),
      location: optional(ref<Static<typeof ProblemLocation>>('ProblemLocation')),
      errors: optional(
        list(
          'All findings, when there are several.',
          ref<Static<typeof InvalidDiagnostic>>('InvalidDiagnostic'),
        ),
      ),
      execution: optional(ref<Static<typeof ExecutionContext>>('ExecutionContext')),
      resource: optional(ref<Static<typeof ResourceContext>>('ResourceContext')),
      conflict: optional(ref<Static<typeof ConflictContext>>('ConflictContext')),
      incident: maybe('Correlates the answer with the log of the server.'),
      plan: optional(Type.Unknown({ description: 'The plan, if it was asked for.' })),
    },
    { description: 'A request that failed.' },
  ),
  ProblemLocation,
  InvalidDiagnostic,
  ExecutionContext,
  ResourceContext,
  ConflictContext,
};
