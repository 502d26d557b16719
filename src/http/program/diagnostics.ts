/** The header `Svc-Diagnostics`: the level of execution details in the response (docs/monitoring.md). */

import { fail } from '#failure';

/** The levels. Each level includes the previous one. */
export const diagnosticsLevels = ['off', 'summary', 'detailed', 'full'] as const;
export type DiagnosticsLevel = (typeof diagnosticsLevels)[number];

/** Returns the requested level, or `undefined` without the header. Throws for an unknown level and for a level above `max`. */
export function askedDiagnostics(
  headers: Headers,
  max: DiagnosticsLevel,
): Exclude<DiagnosticsLevel, 'off'> | undefined {
  const asked = headers.get('svc-diagnostics');
  if (asked === null) return undefined;
  const location = { pointer: '/header/svc-diagnostics' };
  const rank = diagnosticsLevels.indexOf(asked as DiagnosticsLevel);
  if (rank < 1) {
    const allowed = diagnosticsLevels.slice(1).join(', ');
    const detail = `unknown diagnostics level "${asked}"; use one of ${allowed}`;
    throw fail('diagnostics_rejected', detail, { status: 400, location });
  }
  if (rank <= diagnosticsLevels.indexOf(max)) return asked as Exclude<DiagnosticsLevel, 'off'>;
  const detail = `the server's maximum diagnostics level is ${max}, not ${asked} (\`svc serve --diagnostics\`)`;
  throw fail('diagnostics_rejected', detail, { location });
}
