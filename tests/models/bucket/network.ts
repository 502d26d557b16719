/** Requests to the store: answered at once, or late, or never. */

import {
  type Act,
  type Change,
  type Do,
  type LogObject,
  type Manifest,
  on,
  type Request,
  type State,
  type Writer,
} from './state.ts';

export function deliver(t: State, { kind, id, body }: Request): void {
  if (body !== undefined && kind !== 'pin' && t.store[kind][id] !== undefined) return;
  const objects: Record<number, unknown> = { ...t.store[kind], [id]: body };
  if (body === undefined) delete objects[id];
  t.store = { ...t.store, [kind]: objects };
  if (body !== undefined && kind === 'manifest' && id === t.truth.chain.length + 1) {
    t.truth = { ...t.truth, chain: [...t.truth.chain, (body as Manifest).by] };
  }
}

/**
 * A request is answered at once, or stays in the network and its sender sees a timeout. The rest follows: a lost reply arrives before the
 * read-back; a duplicate is one of these and a second try.
 */
export function send<Actor>(
  s: State,
  act: Act<Actor>,
  request: Request,
  then: { readonly answer: Change<Actor>; readonly timeout: Change<Actor> },
): void {
  const label = `${request.body === undefined ? 'DELETE' : 'PUT'} ${request.kind}/${request.id}`;
  act(label, (t, me) => {
    deliver(t, request);
    then.answer(t, me);
  });
  if (s.net.length >= s.setting.bounds.net) return;
  act(`${label}: timeout`, (t, me) => {
    t.net = [...t.net, request];
    then.timeout(t, me);
  });
}

export function networkSteps(s: State, step: Do): void {
  for (const request of s.net) {
    const label = `network: ${request.body ? 'PUT' : 'DELETE'} ${request.kind}/${request.id}`;
    const leave = (t: State): void => {
      t.net = t.net.filter((other) => other !== request);
    };
    step(`${label} arrives`, (t) => {
      leave(t);
      deliver(t, request);
    });
    step(`${label} is lost`, leave);
  }
}

export interface Creation {
  /** Whose step it is: `main` or `log` of the writer is at the name of the step, or at that name with `?`. */
  readonly commitQueue: 'main' | 'log';
  readonly request: Request & { readonly body: object };
  readonly won: Change<Writer>;
  readonly taken: Change<Writer>;
}

/** What is not a clear 200 is read back: mine, another's, or absent; then the same bytes again. */
export function createOnce(s: State, writer: Writer, act: Act<Writer>, creation: Creation): void {
  const { commitQueue, request, won, taken } = creation;
  const goTo =
    (step: string): Change<Writer> =>
    (_, me) => {
      Object.assign(me, { [commitQueue]: step });
    };
  const found = s.store[request.kind][request.id];
  const [step = '', inDoubt] = writer[commitQueue].split('?');
  if (inDoubt === undefined) {
    const timeout = goTo(`${step}?`);
    send(s, act, request, { answer: found === undefined ? won : timeout, timeout });
    return;
  }
  const label = `reads ${request.kind}/${request.id} back:`;
  if (found === undefined && on(s, 'retryRebuilds') && step === 'publish') {
    act(`${label} absent`, goTo('open'));
  } else if (found === undefined) act(`${label} absent`, goTo(step));
  else if (isMine(s, found as object, request.body)) act(`${label} mine`, won);
  else act(`${label} taken`, taken);
}

function isMine(s: State, found: object, body: object): boolean {
  const bare = (object: object): string => JSON.stringify({ ...object, by: 0 });
  if (on(s, 'noNonce')) return bare(found) === bare(body);
  return !on(s, 'trust412') && (found as LogObject).by === (body as LogObject).by;
}
