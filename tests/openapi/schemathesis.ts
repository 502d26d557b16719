/**
 * `npm run schemathesis -- [--seconds N]`: two tools that we did not write look at the description. openapi-spec-validator reads it, and schemathesis
 * asks a server everything that it allows, and much that it forbids: no status, header or body that it does not tell of, and no 500.
 * Needs Python 3 with venv; both tools are installed once, into a directory of their own.
 */

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServerProcess } from '../support/server-process.ts';

const root = join(import.meta.dir, '..', '..');
const home = join(root, 'node_modules', '.cache', 'schemathesis');
const tools = ['schemathesis==4.32.5', 'openapi-spec-validator==0.9.0'];
/** OpenAPI 3.1 knows no method QUERY, so that `Allow` and its answers on /execute seem to be too many. */
const exceptions = ['unsupported_method', 'allow_header_conformance'];
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '120' } } });

if (!existsSync(join(home, 'bin', 'schemathesis'))) {
  mkdirSync(home, { recursive: true });
  run('python3', '-m', 'venv', home);
  run(join(home, 'bin', 'pip'), 'install', '--quiet', ...tools);
}
run(join(home, 'bin', 'openapi-spec-validator'), join(root, 'schemas', 'openapi.json'));

const server = await startServerProcess(['--storage', 'memory']);
try {
  ask(['--exclude-path', '/execute'], [...checks, ...exceptions]);
  ask(['--include-path', '/execute'], checks);
} finally {
  server.kill('SIGTERM');
  await server.exited;
}

function ask(which: readonly string[], wanted: readonly string[]): void {
  const bounds = ['--max-time', values.seconds, '--continue-on-failure', '--warnings', 'off'];
  const described = `${server.url}/openapi.json`;
  const program = join(home, 'bin', 'schemathesis');
  run(program, 'run', described, ...which, '-c', wanted.join(','), ...bounds);
}

/** Throws unless the command ends well. */
function run(...command: readonly string[]): void {
  const { exitCode } = Bun.spawnSync([...command], {
    cwd: home,
    stdout: 'inherit',
    stderr: 'inherit',
  });
  if (exitCode !== 0) throw new Error(`${command[0]} ended with ${exitCode}`);
}
