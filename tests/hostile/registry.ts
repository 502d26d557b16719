/** Every attack, in the order in which they are made. */

import type { Attack } from './attack.ts';
import * as foreign from './attacks/browser/foreign-sites.ts';
import * as connections from './attacks/load/connections.ts';
import * as crowded from './attacks/load/crowded-by-one.ts';
import * as deafLog from './attacks/load/deaf-log.ts';
import * as pipelined from './attacks/load/pipelined.ts';
import * as stop from './attacks/load/stop-under-heavy.ts';
import * as chunks from './attacks/load/tiny-chunks.ts';
import * as bindings from './attacks/memory/bindings.ts';
import * as bodies from './attacks/memory/bodies.ts';
import * as crossings from './attacks/memory/crossings.ts';
import * as joins from './attacks/memory/joins.ts';
import * as growing from './attacks/memory/mutations.ts';
import * as notReading from './attacks/memory/not-reading.ts';
import * as damaged from './attacks/rest/damaged-tables.ts';
import * as full from './attacks/rest/full-disk.ts';
import * as lost from './attacks/rest/lost-files.ts';
import * as removed from './attacks/rest/removed-directory.ts';
import * as abandoned from './attacks/work/abandoned.ts';
import * as cold from './attacks/work/cold-reads.ts';
import * as heavy from './attacks/work/heavy-beside-points.ts';
import * as huge from './attacks/work/huge-write.ts';
import * as json from './attacks/work/json-bodies.ts';
import * as large from './attacks/work/large-bodies.ts';
import * as mutations from './attacks/work/mutations.ts';
import * as nested from './attacks/work/nested-arrays.ts';
import * as reads from './attacks/work/reads.ts';
import * as files from './attacks/work/schema-files.ts';
import * as wide from './attacks/work/wide-expressions.ts';
import * as writers from './attacks/work/writers.ts';

const modules: readonly object[] = [
  ...[abandoned, heavy, nested, mutations, reads, cold, large, json, files, wide, writers, huge],
  ...[joins, crossings, bindings, growing, bodies, notReading],
  ...[connections, crowded, chunks, deafLog, pipelined, stop, foreign],
  ...[lost, removed, damaged, full],
];

/** Whatever a module exports that is an attack or a list of attacks. */
export const attacks: readonly Attack[] = modules.flatMap((module) =>
  Object.values(module).flat().filter(isAttack),
);

function isAttack(value: unknown): value is Attack {
  return typeof value === 'object' && value !== null && 'strike' in value && 'does' in value;
}
