/** `bun run tests/sql/types/record.ts`: writes `postgres-15.json`, the answers of the PostgreSQL 15 that the variables of libpq select. */

import { join } from 'node:path';
import { inputs, timeZones } from './inputs.ts';

const setup = `
set client_min_messages = error;
create function pg_temp.probe(type text, source text) returns text language plpgsql as $f$
declare result text; state text; message text;
begin
  execute format('select format(''%%s'', %L::%s)', source, type) into result;
  return json_build_array(result);
exception when others then
  get stacked diagnostics state = returned_sqlstate, message = message_text;
  return json_build_object('sqlstate', state, 'message', message);
end $f$;`;

function quote(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

function answersIn(timeZone: string): string[] {
  const probes = Object.entries(inputs).flatMap(([type, texts]) =>
    texts.map((text) => `select pg_temp.probe('${type}', ${quote(text)});`),
  );
  const script = [setup, `set timezone = '${timeZone}';`, ...probes].join('\n');
  const { stdout, stderr } = Bun.spawnSync(['psql', '-XqAt', '-v', 'ON_ERROR_STOP=1'], {
    stdin: Buffer.from(script),
  });
  if (stderr.length > 0) throw new Error(stderr.toString());
  return stdout.toString().trimEnd().split('\n');
}

const recorded: Record<string, unknown[]> = {};
for (const timeZone of timeZones)
  recorded[timeZone] = answersIn(timeZone).map((line) => JSON.parse(line));
const lines = Object.entries(recorded).map(
  ([timeZone, answers]) =>
    `"${timeZone}": [\n${answers.map((answer) => JSON.stringify(answer)).join(',\n')}\n]`,
);
await Bun.write(join(import.meta.dir, 'postgres-15.json'), `{\n${lines.join(',\n')}\n}\n`);
