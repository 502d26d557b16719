/** A log that nobody reads must not stop the server. */

import { constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeOf, type RestAttack } from '../../attack.ts';
import { pointRead } from '../../programs/data.ts';
import { ask } from '../../target/request.ts';
import { startServer } from '../../target/server.ts';

const requests = 3000;

/** `rest` because the gauge's own requests would fill the pipe too. */
export const deafLog: RestAttack = {
  kind: 'rest',
  part: 'load',
  name: 'deaf-log',
  does: `${requests} requests at log level debug into a pipe that nobody reads`,
  strike: async (lab) => {
    const directory = lab.loaded();
    const pipe = join(directory, 'log');
    Bun.spawnSync(['mkfifo', pipe]);
    const stderr = openSync(pipe, constants.O_RDWR);
    const flags = ['--log-level', 'debug'];
    const server = await startServer({ binary: lab.binary, directory, flags, stderr });
    const answers = [];
    for (let i = 0; i < requests; i++) {
      const answer = await ask(server.port, {
        path: '/execute',
        body: pointRead(i),
        limitMs: 3000,
      });
      answers.push(answer);
      if (answer.status <= 0) break;
    }
    const stopped = await server.stop(10_000);
    return outcomeOf(answers, stopped === undefined ? ['SIGTERM did not end it'] : []);
  },
};
