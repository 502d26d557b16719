/** Every way a request can fail, against the table of retries: what is repeated, how often, after how long, and what has happened on the server. */

import { describe, expect, test } from 'bun:test';
import { silenceOf } from '../../../clients/typescript/runtime/client/failure.ts';
import corpus from '../../clients/corpus/faults.json' with { type: 'json' };
import type { ClientOptions } from './runtime.ts';
import { problem, read, type Step, stage, write } from './support.ts';

/** The grammar is in the README beside the corpus. */
interface Fault {
  readonly of: string;
  readonly what: string;
  readonly script: readonly string[];
  readonly tokens?: readonly string[];
  readonly attempts?: number;
  readonly cap_ms?: number;
  readonly timeout_ms?: number;
  readonly error?: string;
  readonly having?: Readonly<Record<string, unknown>>;
  readonly requests: number;
  readonly commits: number;
  readonly waits_ms?: readonly number[];
}

interface Answer {
  readonly status: number;
  readonly retry_after?: string;
  readonly text?: string;
  readonly problem?: { readonly code: string; readonly reason: string };
}

const faults: readonly Fault[] = corpus.faults;
const answers: Readonly<Record<string, Answer>> = corpus.answers;

/** A step by its name: what befalls a connection, or an answer. */
function stepOf(name: string): Step {
  if (!Object.hasOwn(answers, name)) return name as Step;
  const { status, retry_after, text, problem: told } = answers[name] as Answer;
  const headers: Record<string, string> = retry_after ? { 'retry-after': retry_after } : {};
  if (told === undefined) return { status, headers, body: text };
  return problem(status, told.code, told.reason, told, headers);
}

function optionsOf({ attempts, cap_ms, tokens }: Fault): Partial<ClientOptions> {
  const retry = {
    ...(attempts === undefined ? {} : { attempts }),
    ...(cap_ms === undefined ? {} : { capMs: cap_ms }),
  };
  if (tokens === undefined) return { retry };
  const [only = '', ...more] = tokens;
  const left = [...tokens];
  return { retry, token: more.length === 0 ? only : () => left.shift() as string };
}

test('the faults are many, and each is another one', () => {
  expect(faults.length).toBeGreaterThanOrEqual(60);
  const causes = faults.map(({ error, having, requests, commits, waits_ms, what, ...cause }) =>
    JSON.stringify(cause),
  );
  expect(new Set(causes).size).toBe(faults.length);
  const used = new Set(faults.flatMap(({ script }) => script));
  expect(Object.keys(answers).filter((name) => !used.has(name))).toEqual([]);
});

describe('a fault', () => {
  for (const fault of faults) {
    test(`of a ${fault.of}: ${fault.what}`, async () => {
      await using on = await stage(optionsOf(fault), fault.script.map(stepOf));
      const { timeout_ms } = fault;
      const call = {
        ...(timeout_ms === undefined ? {} : { timeoutMs: timeout_ms }),
        idempotent: fault.of === 'idempotent write',
      };
      const work = on.client.run(fault.of === 'read' ? read() : write(1), call);
      if (fault.error === undefined) {
        expect(await on.settled(work)).toEqual(fault.of === 'read' ? [] : [{ id: 1, text: 'x' }]);
      } else {
        const error = await on.settled(work).catch((caught: unknown) => caught);
        expect((error as Error).constructor.name).toBe(fault.error);
        const isTold = fault.having?.['table'] === 'WRITTEN';
        expect(error).toMatchObject({
          operation: fault.of === 'read' ? 'notes' : 'addNote',
          attempts: fault.requests,
          ...fault.having,
          ...(isTold ? { table: 'notes' } : {}),
        });
      }
      expect(on.sent.length).toBe(fault.requests);
      if (fault.waits_ms !== undefined) expect(on.waits()).toEqual([...fault.waits_ms]);
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
