/** A transition from its start to its end: it only moves as the specification says. */

import type { Server } from './server.ts';

export interface Control {
  readonly transition_id: string;
  readonly object_id: string;
  readonly state: string;
  readonly generation: number;
  readonly rows_scanned: number;
  readonly retained_work_state: string;
  readonly last_error?: string;
}

const order = ['building', 'catching_up', 'validating', 'ready', 'failed'];

export async function startTransition(server: Server, statement: object): Promise<Control> {
  const program = { statements: [{ ...statement, name: 's', table_id: 1 }] };
  const { text } = await server.ensure(program);
  const { statements } = JSON.parse(text) as { statements: { control: Control }[] };
  return statements[0]?.control as Control;
}

export async function getTransition(server: Server, id: string, search = ''): Promise<Control> {
  return (await server.get(`/schema/transitions/${id}${search}`)) as Control;
}

export async function ended(server: Server, started: Control): Promise<Control> {
  for (let last = started; ; ) {
    const search = `?wait=10s&generation=${last.generation}`;
    const next = await getTransition(server, started.transition_id, search);
    const isForward =
      next.generation >= last.generation &&
      next.rows_scanned >= last.rows_scanned &&
      order.indexOf(next.state) >= order.indexOf(last.state) &&
      next.retained_work_state === 'normal';
    if (!isForward) {
      server.wrong(`a move on from ${JSON.stringify(last)}`, started, JSON.stringify(next));
    }
    if (next.state === 'ready' || next.state === 'failed') return next;
    last = next;
  }
}
