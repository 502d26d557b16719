/** Starts the polling process and marks phases in what it sees. */

import { join } from 'node:path';
import { endAtExit } from '../target/at-exit.ts';
import type { Phase } from './phase.ts';

export interface Poller extends AsyncDisposable {
  /** What was seen since the last call, or since the start. */
  phase(): Promise<Phase>;
}

export function startPoller(port: number, pid: number, pointBody: string): Poller {
  const script = join(import.meta.dir, 'poller-process.ts');
  const child = Bun.spawn([process.execPath, 'run', script, `${port}`, `${pid}`, pointBody], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const forget = endAtExit(child.pid);
  const lines = linesOf(child.stdout);
  return {
    phase: async () => {
      child.stdin.write('end\n');
      await child.stdin.flush();
      const { value } = await lines.next();
      if (value === undefined) throw new Error('the poller has ended');
      return JSON.parse(value) as Phase;
    },
    [Symbol.asyncDispose]: async () => {
      await child.stdin.end();
      child.kill('SIGKILL');
      await child.exited;
      forget();
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
    }
  }
}
