/** Fencing as it is seen from outside: two processes, one directory, no lock that would keep them apart. */

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeOver } from './takeover.ts';

test('a writer that slept while another one took over acknowledges nothing more, says so, and ends', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-fencing-'));
  try {
    const takeover = await takeOver({
      place: ['--storage-path', directory],
      env: { SVC_SHUTDOWN_DRAIN_MS: '300' },
      lockDirectory: directory,
      clients: 8,
      loadMs: 400,
    });
    expect(takeover.acknowledgedByFirst).toBeGreaterThan(0);
    expect(takeover.acknowledgedBySecond).toBeGreaterThan(0);
    for (const answer of takeover.afterwards) {
      expect(['500 commit_outcome_unknown', '500 storage_unavailable']).toContain(answer);
    }
    expect(takeover.readiness).toContain('fenced');
    expect(takeover.firstExit).toBe(1);
    expect(takeover.firstLog).toContain('storage.fenced');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}, 120_000);
