/** Serves the board: `bun run src/main.ts`, with the database where SVC_DATABASE_URL says. */

import { app } from './app.ts';
import { connect } from './db/db.gen.ts';

const db = connect({ url: process.env['SVC_DATABASE_URL'] ?? 'svc://127.0.0.1:7247' });
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT'] ?? 3000),
  // A board that somebody looks at says nothing for as long as nothing changes.
  idleTimeout: 0,
  fetch: app(db),
});
console.log(`the board is at ${server.url}`);
