/** All instruments of a serving process. */

import type { AuditLog } from '#authentication';
import type { Engine } from '#engine';
import type { EdgeCounters } from '#http';
import { type Instrument, JobMeter, ProgramMeter, RequestMeter } from '#observe';
import { prometheusText } from '#telemetry';
import { admissionInstruments } from './admission-instruments.ts';
import { auditInstruments } from './audit-instruments.ts';
import type { AvailabilityMeter } from './availability-meter.ts';
import { edgeInstruments } from './edge-instruments.ts';
import { engineInstruments } from './engine-instruments.ts';
import { type ConnectionCounts, postgresInstruments } from './postgres-instruments.ts';
import { processInstruments } from './process-instruments.ts';
import { relationInstruments } from './relation-instruments.ts';
import { storageInstruments } from './storage-instruments.ts';
import { transitionInstruments } from './transition-instruments.ts';

interface Measured {
  /** Returns `undefined` while no database is open. */
  readonly engine: () => Engine | undefined;
  readonly availability: AvailabilityMeter;
}

export class Metrics {
  readonly requests = new RequestMeter();
  readonly programs = new ProgramMeter();
  readonly jobs = new JobMeter();
  /** The counters of the handler. Set later, because the handler is created with these metrics. */
  counters: EdgeCounters | undefined;
  /** Set later; `undefined` if nothing is audited. */
  audit: AuditLog | undefined;
  /** The connections of the PostgreSQL listener. Set later; `undefined` without it. */
  connections: ConnectionCounts | undefined;
  private readonly measured: Measured;

  constructor(measured: Measured) {
    this.measured = measured;
  }

  /** Returns the meter of the statements of the PostgreSQL listener. Called once. */
  sqlPrograms(): ProgramMeter {
    const programs = new ProgramMeter('postgres');
    this.programs.include(programs);
    return programs;
  }

  /** Returns the response body of `GET /metrics`. */
  text(): string {
    return prometheusText(this.instruments());
  }

  instruments(): readonly Instrument[] {
    const { engine, availability } = this.measured;
    const { counters } = this;
    // Many instruments read the statistics of the store, so they are computed once for all of them.
    const store = engine()?.storeStatistics();
    return [
      ...this.requests.instruments(),
      ...edgeInstruments(() => counters),
      ...auditInstruments(() => this.audit),
      ...postgresInstruments(() => this.connections),
      ...relationInstruments(() => counters?.relations),
      ...this.programs.instruments(),
      ...engineInstruments(engine),
      ...admissionInstruments(() => engine()?.admissionStatistics()),
      ...storageInstruments(() => store),
      ...availability.instruments(),
      ...transitionInstruments(() => engine()?.catalog),
      ...this.jobs.instruments(),
      ...processInstruments(),
    ];
  }
}
