/** Serves the board: `bun run src/main.ts`, with the database where SVC_DATABASE_URL says. */

import { app } from './app.ts';
import { connect } from './db/db.gen.ts';

const db = connect({ url: process.env['SVC_DATABASE_URL'] ?? 'svc://127.0.0.1:7247' });
const answer = app(db);
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT'] ?? 3000),
  // Forms are small.
  maxRequestBodySize: 64 << 10,
  fetch(request, server) {
    // A board that somebody looks at says nothing for as long as nothing changes.
    if (request.method === 'GET' && request.url.endsWith('/live')) server.timeout(request, 0);
    return answer(request);
  },
  error(error) {
    console.error(error);
    return new Response('That did not work.', { status: 500 });
  },
});
console.log(`the board is at ${server.url}`);
