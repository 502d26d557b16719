/** Every way a request can fail, against the table of retries: what is repeated, how often, after how long, and what has happened on the server. */

import { describe, expect, test } from 'bun:test';
import { silenceOf } from '../../../src/codegen/typescript/runtime/client/failure.ts';
import {
  AuthError,
  type CallOptions,
  type ClientOptions,
  ConflictError,
  ConstraintError,
  InternalError,
  InvalidError,
  LimitError,
  NotFoundError,
  OutcomeUnknownError,
  OverloadedError,
  ReadOnlyError,
  SvcError,
  TransportError,
} from './runtime.ts';
import { problem, read, type Step, stage, write } from './support.ts';

interface Fault {
  readonly of: 'read' | 'write' | 'idempotent write';
  readonly what: string;
  readonly script: readonly Step[];
  /** The class of the error; absent when the operation succeeds in the end. */
  readonly error?: new (
    ...args: never[]
  ) => Error;
  /** Members of the error. */
  readonly having?: object;
  readonly requests: number;
  /** Rows that the write has made; 0 for reads. */
  readonly commits: number;
  /** Milliseconds between requests when chance is always one half. */
  readonly waits?: readonly number[];
  readonly options?: Partial<ClientOptions>;
  readonly call?: CallOptions;
}

const race = problem(409, 'conflict', 'serializable_conflict');
const backpressure = problem(409, 'conflict', 'schema_transition_backpressure');
const finalizing = problem(409, 'conflict', 'schema_transition_finalizing');
const overloaded = problem(503, 'internal', 'overloaded', {}, { 'retry-after': '1' });
const starting = problem(503, 'internal', 'storage_unavailable', {}, { 'retry-after': '2' });
const failing = problem(500, 'internal', 'storage_unavailable');
const internal = problem(500, 'internal', 'internal', { incident: 'i-1' });
const unknownOutcome = problem(500, 'internal', 'commit_outcome_unknown');
const gateway = (status: number): Step => ({ status, body: '<html>bad gateway</html>' });
const six = <T>(step: T): T[] => Array.from({ length: 6 }, () => step);

const faults: readonly Fault[] = [
  // 409 serializable_conflict
  { of: 'read', what: 'a lost race', script: [race], requests: 2, commits: 0, waits: [2.5] },
  { of: 'write', what: 'a lost race', script: [race], requests: 2, commits: 1, waits: [2.5] },
  {
    of: 'write',
    what: 'three lost races',
    script: [race, race, race],
    requests: 4,
    commits: 1,
    waits: [2.5, 5, 10],
  },
  {
    of: 'write',
    what: 'races lost to the end',
    script: six(race),
    error: ConflictError,
    having: { attempts: 6, status: 409 },
    requests: 6,
    commits: 0,
    waits: [2.5, 5, 10, 20, 40],
  },
  {
    of: 'read',
    what: 'races lost to the end',
    script: six(race),
    error: ConflictError,
    requests: 6,
    commits: 0,
  },
  {
    of: 'write',
    what: 'two races of two attempts',
    script: [race, race],
    options: { retry: { attempts: 2 } },
    error: ConflictError,
    having: { attempts: 2 },
    requests: 2,
    commits: 0,
  },
  {
    of: 'write',
    what: 'races with a low cap',
    script: [race, race, race, race],
    options: { retry: { capMs: 8 } },
    requests: 5,
    commits: 1,
    waits: [2.5, 4, 4, 4],
  },
  {
    of: 'write',
    what: 'one attempt only',
    script: [race],
    options: { retry: { attempts: 1 } },
    error: ConflictError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'write',
    what: 'a conflict of an unknown reason',
    script: [problem(409, 'conflict', 'new_reason')],
    requests: 2,
    commits: 1,
    waits: [2.5],
  },
  // 409 gates
  {
    of: 'write',
    what: 'backpressure',
    script: [backpressure],
    requests: 2,
    commits: 1,
    waits: [150],
  },
  {
    of: 'write',
    what: 'a table that is being finalized',
    script: [finalizing, finalizing, finalizing],
    requests: 4,
    commits: 1,
    waits: [150, 250, 450],
  },
  {
    of: 'write',
    what: 'gates to the end',
    script: six(finalizing),
    error: ConflictError,
    having: { reason: 'schema_transition_finalizing' },
    requests: 6,
    commits: 0,
    waits: [150, 250, 450, 550, 550],
  },
  {
    of: 'read',
    what: 'backpressure',
    script: [backpressure],
    error: ConflictError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'read',
    what: 'a table that is being finalized',
    script: [finalizing],
    error: ConflictError,
    requests: 1,
    commits: 0,
  },
  // 503
  { of: 'read', what: 'overload', script: [overloaded], requests: 2, commits: 0, waits: [1050] },
  { of: 'write', what: 'overload', script: [overloaded], requests: 2, commits: 1, waits: [1050] },
  {
    of: 'read',
    what: 'a database that opens',
    script: [starting, starting],
    requests: 3,
    commits: 0,
    waits: [2050, 2100],
  },
  {
    of: 'write',
    what: 'a database that opens',
    script: [starting],
    requests: 2,
    commits: 1,
    waits: [2050],
  },
  {
    of: 'read',
    what: 'overload without Retry-After',
    script: [problem(503, 'internal', 'overloaded')],
    requests: 2,
    commits: 0,
    waits: [50],
  },
  {
    of: 'write',
    what: 'overload until a date',
    script: [
      problem(
        503,
        'internal',
        'overloaded',
        {},
        { 'retry-after': 'Thu, 01 Jan 2026 00:00:03 GMT' },
      ),
    ],
    requests: 2,
    commits: 1,
    waits: [3050],
  },
  {
    of: 'read',
    what: 'a date that is past',
    script: [
      problem(
        503,
        'internal',
        'overloaded',
        {},
        { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' },
      ),
    ],
    requests: 2,
    commits: 0,
    waits: [50],
  },
  {
    of: 'read',
    what: 'a Retry-After that is none',
    script: [problem(503, 'internal', 'overloaded', {}, { 'retry-after': 'soon' })],
    requests: 2,
    commits: 0,
    waits: [50],
  },
  {
    of: 'read',
    what: 'a Retry-After beyond the deadline',
    script: [problem(503, 'internal', 'overloaded', {}, { 'retry-after': '31' })],
    error: OverloadedError,
    having: { attempts: 1 },
    requests: 1,
    commits: 0,
  },
  {
    of: 'write',
    what: 'overload to the end',
    script: six(problem(503, 'internal', 'overloaded')),
    error: OverloadedError,
    requests: 6,
    commits: 0,
    waits: [50, 100, 200, 400, 500],
  },
  {
    of: 'write',
    what: 'a 503 of an unknown reason',
    script: [problem(503, 'internal', 'new_reason')],
    error: InternalError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'read',
    what: 'a 503 of an unknown reason',
    script: [problem(503, 'internal', 'new_reason')],
    requests: 2,
    commits: 0,
  },
  // 500
  { of: 'read', what: 'failing storage', script: [failing], requests: 2, commits: 0, waits: [2.5] },
  {
    of: 'read',
    what: 'failing storage, twice',
    script: [failing, failing],
    error: InternalError,
    having: { attempts: 2 },
    requests: 2,
    commits: 0,
  },
  {
    of: 'write',
    what: 'failing storage',
    script: [failing],
    error: InternalError,
    having: { attempts: 1 },
    requests: 1,
    commits: 0,
  },
  { of: 'read', what: 'an internal failure', script: [internal], requests: 2, commits: 0 },
  {
    of: 'read',
    what: 'one internal failure, then failing storage',
    script: [internal, failing],
    error: InternalError,
    having: { reason: 'storage_unavailable' },
    requests: 2,
    commits: 0,
  },
  {
    of: 'write',
    what: 'an internal failure',
    script: [internal],
    error: InternalError,
    having: { incident: 'i-1' },
    requests: 1,
    commits: 0,
  },
  {
    of: 'idempotent write',
    what: 'an internal failure',
    script: [internal],
    error: InternalError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'read',
    what: 'an internal failure of an unknown reason',
    script: [problem(500, 'internal', 'new_reason')],
    requests: 2,
    commits: 0,
  },
  {
    of: 'read',
    what: 'a corrupt catalog',
    script: [problem(500, 'internal', 'catalog_corrupt')],
    error: InternalError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'read',
    what: 'a catalog that has drifted',
    script: [problem(500, 'internal', 'catalog_schema_drift')],
    error: InternalError,
    requests: 1,
    commits: 0,
  },
  // 500 commit_outcome_unknown
  {
    of: 'write',
    what: 'an unknown outcome',
    script: [unknownOutcome],
    error: OutcomeUnknownError,
    having: { status: 500, attempts: 1 },
    requests: 1,
    commits: 0,
  },
  {
    of: 'idempotent write',
    what: 'an unknown outcome',
    script: [unknownOutcome],
    error: OutcomeUnknownError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'read',
    what: 'an unknown outcome',
    script: [unknownOutcome],
    error: OutcomeUnknownError,
    requests: 1,
    commits: 0,
  },
  // refused, DNS
  {
    of: 'read',
    what: 'a refused connection',
    script: ['refused'],
    requests: 2,
    commits: 0,
    waits: [50],
  },
  {
    of: 'write',
    what: 'a refused connection',
    script: ['refused', 'refused'],
    requests: 3,
    commits: 1,
    waits: [50, 100],
  },
  {
    of: 'write',
    what: 'refusals to the end',
    script: six('refused'),
    error: TransportError,
    having: { phase: 'connect', sent: false, attempts: 6 },
    requests: 6,
    commits: 0,
    waits: [50, 100, 200, 400, 500],
  },
  {
    of: 'read',
    what: 'refusals to the end',
    script: six('refused'),
    error: TransportError,
    having: { phase: 'connect' },
    requests: 6,
    commits: 0,
  },
  // broken or timed out after sending
  {
    of: 'read',
    what: 'a broken connection',
    script: ['broken'],
    requests: 2,
    commits: 0,
    waits: [50],
  },
  {
    of: 'read',
    what: 'connections broken to the end',
    script: six('broken'),
    error: TransportError,
    having: { phase: 'response', sent: true, attempts: 6 },
    requests: 6,
    commits: 0,
  },
  {
    of: 'write',
    what: 'a broken connection',
    script: ['broken'],
    error: OutcomeUnknownError,
    having: { status: 0, reason: 'commit_outcome_unknown', attempts: 1 },
    requests: 1,
    commits: 0,
  },
  {
    of: 'write',
    what: 'a lost answer',
    script: ['lost'],
    error: OutcomeUnknownError,
    requests: 1,
    commits: 1,
  },
  {
    of: 'idempotent write',
    what: 'a broken connection',
    script: ['broken'],
    requests: 2,
    commits: 1,
    waits: [50],
  },
  {
    of: 'idempotent write',
    what: 'a lost answer of what is not',
    script: ['lost'],
    error: ConstraintError,
    having: { attempts: 2, table: 'notes' },
    requests: 2,
    commits: 1,
  },
  {
    of: 'idempotent write',
    what: 'connections broken to the end',
    script: six('broken'),
    error: OutcomeUnknownError,
    having: { attempts: 6 },
    requests: 6,
    commits: 0,
  },
  {
    of: 'idempotent write',
    what: 'a broken connection, then refusals',
    script: ['broken', ...six('refused' as const)],
    error: OutcomeUnknownError,
    having: { attempts: 6 },
    requests: 6,
    commits: 0,
  },
  {
    of: 'read',
    what: 'silence',
    script: ['silent'],
    error: TransportError,
    having: { phase: 'timeout', sent: true, attempts: 1 },
    requests: 1,
    commits: 0,
  },
  {
    of: 'write',
    what: 'silence',
    script: ['silent'],
    error: OutcomeUnknownError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'idempotent write',
    what: 'silence',
    script: ['silent'],
    error: OutcomeUnknownError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'write',
    what: 'a race, then silence',
    script: [race, 'silent'],
    error: OutcomeUnknownError,
    having: { attempts: 2 },
    requests: 2,
    commits: 0,
  },
  {
    of: 'write',
    what: 'a wait that would end after the deadline',
    script: [finalizing, finalizing],
    call: { timeoutMs: 390 },
    error: ConflictError,
    having: { attempts: 2 },
    requests: 2,
    commits: 0,
    waits: [150],
  },
  // Gateways and other servers
  ...[502, 503, 504].flatMap((status): Fault[] => [
    {
      of: 'read',
      what: `a gateway's ${status}`,
      script: [gateway(status)],
      requests: 2,
      commits: 0,
      waits: [50],
    },
    {
      of: 'write',
      what: `a gateway's ${status}`,
      script: [gateway(status)],
      error: OutcomeUnknownError,
      requests: 1,
      commits: 0,
    },
    {
      of: 'idempotent write',
      what: `a gateway's ${status}`,
      script: [gateway(status)],
      requests: 2,
      commits: 1,
    },
  ]),
  {
    of: 'read',
    what: 'a page of 200',
    script: [{ status: 200, body: '<html>' }],
    error: TransportError,
    having: { phase: 'protocol', status: 200 },
    requests: 1,
    commits: 0,
  },
  {
    of: 'read',
    what: 'JSON that is no answer',
    script: [{ status: 200, body: { ok: true } }],
    error: TransportError,
    having: { phase: 'protocol' },
    requests: 1,
    commits: 0,
  },
  {
    of: 'write',
    what: 'a page of 200',
    script: [{ status: 200, body: '<html>' }],
    error: OutcomeUnknownError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'write',
    what: 'a page of 404',
    script: [{ status: 404, body: 'no' }],
    error: TransportError,
    having: { phase: 'protocol', status: 404 },
    requests: 1,
    commits: 0,
  },
  {
    of: 'write',
    what: 'a page of 500',
    script: [{ status: 500, body: 'no' }],
    error: OutcomeUnknownError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'read',
    what: 'a page of 507',
    script: [{ status: 507, body: 'no' }],
    error: TransportError,
    having: { phase: 'protocol', status: 507 },
    requests: 1,
    commits: 0,
  },
  {
    of: 'write',
    what: 'a redirect to nowhere',
    script: [{ status: 302, body: '' }],
    error: TransportError,
    having: { phase: 'protocol', status: 302, sent: false },
    requests: 1,
    commits: 0,
  },
  {
    of: 'write',
    what: 'a problem that says another status than HTTP',
    script: [problem(409, 'conflict', 'serializable_conflict', { status: 200 })],
    requests: 2,
    commits: 1,
  },
  // Other 4xx
  {
    of: 'read',
    what: 'an invalid query',
    script: [problem(422, 'invalid', 'unknown_column')],
    error: InvalidError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'write',
    what: 'a violated key',
    script: [problem(422, 'invalid', 'constraint_violation', { execution: { table: 'notes' } })],
    error: ConstraintError,
    having: { table: 'notes', key: undefined },
    requests: 1,
    commits: 0,
  },
  {
    of: 'idempotent write',
    what: 'a violated key',
    script: [problem(422, 'invalid', 'constraint_violation')],
    error: ConstraintError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'write',
    what: 'a process that only reads',
    script: [problem(403, 'invalid', 'read_only')],
    error: ReadOnlyError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'read',
    what: 'a limit',
    script: [problem(422, 'execution_failed', 'memory_limit')],
    error: LimitError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'read',
    what: 'an unknown route',
    script: [problem(404, 'not_found', 'not_found')],
    error: NotFoundError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'read',
    what: 'a forbidden table',
    script: [problem(403, 'forbidden', 'scope')],
    error: AuthError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'read',
    what: 'a token that is none',
    script: [problem(401, 'unauthenticated', 'invalid_token')],
    options: { token: 'fixed' },
    error: AuthError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'read',
    what: 'too many requests',
    script: [problem(429, 'invalid', 'rate', {}, { 'retry-after': '1' })],
    error: InvalidError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'write',
    what: 'a body that came too slowly',
    script: [problem(408, 'invalid', 'schema_violation')],
    error: InvalidError,
    requests: 1,
    commits: 0,
  },
  {
    of: 'read',
    what: 'a code of another age',
    script: [problem(418, 'teapot', 'short')],
    error: SvcError,
    having: { code: 'teapot', reason: 'short' },
    requests: 1,
    commits: 0,
  },
  {
    of: 'read',
    what: 'a reason named as what all objects have',
    script: [problem(422, 'invalid', 'constructor')],
    error: InvalidError,
    having: { reason: 'constructor' },
    requests: 1,
    commits: 0,
  },
  // Mixed
  {
    of: 'read',
    what: 'one of each',
    script: ['refused', race, 'broken', overloaded, internal],
    requests: 6,
    commits: 0,
    waits: [50, 5, 200, 1400, 40],
  },
];

describe('a fault', () => {
  for (const fault of faults) {
    test(`of a ${fault.of}: ${fault.what}`, async () => {
      await using on = await stage(fault.options, fault.script);
      const call = { ...fault.call, idempotent: fault.of === 'idempotent write' };
      const work = on.client.run(fault.of === 'read' ? read() : write(1), call);
      if (fault.error === undefined) {
        expect(await on.settled(work)).toEqual(fault.of === 'read' ? [] : [{ id: 1, text: 'x' }]);
      } else {
        const error = await on.settled(work).catch((caught: unknown) => caught);
        expect((error as Error).constructor.name).toBe(fault.error.name);
        expect(error).toMatchObject({
          operation: fault.of === 'read' ? 'notes' : 'addNote',
          attempts: fault.requests,
          ...fault.having,
        });
      }
      expect(on.sent.length).toBe(fault.requests);
      if (fault.waits !== undefined) expect(on.waits()).toEqual([...fault.waits]);
      expect(await on.commits()).toBe(fault.commits);
      expect(on.world.waiting).toBe(0);
    });
  }
});

describe('what runtimes throw', () => {
  const coded = (message: string, members: object, cause?: unknown) =>
    Object.assign(new TypeError(message, { cause }), members);
  const failed = (members: object) => coded('fetch failed', {}, coded('inner', members));
  const thrown: readonly (readonly [what: string, error: unknown, phase: string])[] = [
    ['Node: refused', failed({ code: 'ECONNREFUSED', syscall: 'connect' }), 'connect'],
    ['Node: all addresses refused', failed({ code: 'ECONNREFUSED' }), 'connect'],
    ['Node: no such host', failed({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }), 'connect'],
    ['Node: no resolver', failed({ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }), 'connect'],
    ['Node: no way', failed({ code: 'EHOSTUNREACH', syscall: 'connect' }), 'connect'],
    ['Node: connecting took too long', failed({ code: 'UND_ERR_CONNECT_TIMEOUT' }), 'connect'],
    ['Node: foreign certificate', failed({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }), 'connect'],
    ['Node: other certificate', failed({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }), 'connect'],
    ['Node: reset', failed({ code: 'ECONNRESET', syscall: 'read' }), 'response'],
    ['Node: closed', failed({ code: 'UND_ERR_SOCKET' }), 'response'],
    ['Node: unreachable later', failed({ code: 'EHOSTUNREACH', syscall: 'read' }), 'response'],
    [
      'Node: client certificate refused after sending',
      failed({ code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' }),
      'response',
    ],
    ['Bun: refused', coded('Unable to connect', { code: 'ConnectionRefused' }), 'connect'],
    ['Bun: no such host', coded('Was there a typo?', { code: 'FailedToOpenSocket' }), 'connect'],
    ['Bun: closed', coded('The socket', { code: 'ConnectionClosed' }), 'response'],
    [
      'Deno: refused',
      coded('error sending request for url (http://h/): client error (Connect): tcp', {}),
      'connect',
    ],
    [
      'Deno 2: refused',
      failed({ message: 'error sending request for url (http://h/): client error (Connect): tcp' }),
      'connect',
    ],
    [
      'Deno: closed',
      coded('error sending request for url (http://h/): client error (SendRequest): x', {}),
      'response',
    ],
    ['a browser', new TypeError('Failed to fetch'), 'response'],
    ['nothing', undefined, 'response'],
  ];
  for (const [what, error, phase] of thrown) {
    test(what, () => expect(silenceOf(error).phase).toBe(phase as never));
  }
});
