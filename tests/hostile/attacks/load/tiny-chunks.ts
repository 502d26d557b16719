/** Bodies in chunks of one byte: a read of the socket is many thousand chunks. */

import { type LiveAttack, outcomeOf } from '../../attack.ts';
import { Connection } from '../../target/connection.ts';
import { answerOn } from '../../target/request.ts';

const chunks = 3_000_000;
const clients = 20;

export const tinyChunks: LiveAttack = {
  kind: 'live',
  part: 'load',
  name: 'tiny-chunks',
  does: `${clients} bodies of ${chunks / 1e6} million chunks of one byte each`,
  strike: async (stage) => {
    const head =
      `POST /execute HTTP/1.1\r\nHost: 127.0.0.1:${stage.port}\r\n` +
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const bytes = Buffer.from(`${head}${'1\r\n \r\n'.repeat(chunks)}0\r\n\r\n`);
    const asks = Array.from({ length: clients }, async () => {
      const connection = new Connection({ port: stage.port });
      await connection.opened;
      connection.send(bytes);
      const answer = await answerOn(connection, 60_000);
      connection.leave();
      return answer;
    });
    const { got, failures } = outcomeOf(await Promise.all(asks));
    // Closed while the client still sends is as good as an answer.
    return { got, failures: failures.filter((what) => what !== 'closed') };
  },
};
