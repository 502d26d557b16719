/** Point reads beside an online index build, compared with the same reads after it. */

import { load, prepare } from '../../connection.ts';
import { reasonOf } from '../engines/engine.ts';
import type { MeasuredTable } from '../question.ts';
import type { ShopTable } from '../tables.ts';
import type { Row } from './outcome.ts';
import type { Target } from './target.ts';

const clients = 16;
const windowMs = 1_000;
const aloneMax = 9;

export async function readsBeside(
  { engine, server }: Target,
  table: ShopTable,
  { index, read }: MeasuredTable,
): Promise<Row> {
  let turn = 0;
  const next = () => prepare(server.port, 'POST', '/execute', read(turn++));
  const windowOf = async () => {
    const { requests, seconds, failures } = await load(server.port, clients, windowMs, next);
    if (failures > 0) throw new Error(`${failures} reads failed`);
    return (seconds * 1_000) / requests;
  };
  await windowOf();
  const beside: number[] = [];
  const alone: number[] = [];
  let problem: string | undefined;
  let isOver = false;
  const build = async () => {
    try {
      await engine.addIndexOnline(table, index);
    } catch (error) {
      problem = reasonOf(error);
    }
    isOver = true;
  };
  const built = build();
  while (!isOver) beside.push(await windowOf());
  await built;
  await engine.settle?.();
  while (alone.length < Math.min(beside.length, aloneMax)) alone.push(await windowOf());
  return {
    id: 'reads-beside',
    name: `point reads of ${clients} clients during an online index build`,
    rows: 1,
    outcomes: {
      svc: problem === undefined ? { times: beside } : { problem },
      alone: { times: alone },
    },
  };
}
