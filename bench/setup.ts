/** Calls that prepare a server for a measurement; they fail loudly. */

import { itemTable } from './workload.ts';

export async function createTable(port: number, table: object = itemTable): Promise<void> {
  await post(port, '/tables', JSON.stringify(table));
}

export async function send(port: number, program: string): Promise<void> {
  await post(port, '/execute', program);
}

async function post(port: number, path: string, body: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
}
