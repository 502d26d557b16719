/** `npm run example`: a server in memory with the schema and some rows, and the board on it. Ctrl-C ends both. */

import { join } from 'node:path';

const here = import.meta.dir;
const database = Bun.spawn(
  [process.execPath, 'run', join(here, '../../src/main.ts'), 'dev', '--throw-away'],
  { cwd: here, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
);
let said = '';
let url: string | undefined;
process.on('exit', () => database.kill());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
const streams = [database.stdout, database.stderr];
try {
  const [status] = await Promise.all([database.exited, ...streams.map(listen)]);
  process.exit(status);
} catch (error) {
  // Such as a port that is taken.
  console.error((error as Error).message);
  process.exit(1);
}

/** The board starts once there are rows. */
async function listen(stream: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    const text = decoder.decode(bytes, { stream: true });
    process.stdout.write(text);
    said += text;
    if (url !== undefined || !said.includes('seeded ')) continue;
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] as string;
    process.env['SVC_DATABASE_URL'] = url;
    await import('./src/main.ts');
  }
}
