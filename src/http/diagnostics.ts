/** The header `Svc-Diagnostics`: this server grants no level, and says so (docs/errors.md, `diagnostics_rejected`). */

import { fail } from '#failure';

const levels = ['summary', 'detailed', 'full'];

export function checkDiagnosticsHeader(headers: Headers): void {
  const level = headers.get('svc-diagnostics');
  if (level === null) return;
  const location = { pointer: '/header/svc-diagnostics' };
  if (!levels.includes(level)) {
    const allowed = levels.join(', ');
    const detail = `unknown diagnostics level "${level}": use one of ${allowed}`;
    throw fail('diagnostics_rejected', detail, { status: 400, location });
  }
  throw fail(
    'diagnostics_rejected',
    `the server's maximum diagnostics level is off, not ${level}`,
    {
      location,
    },
  );
}
