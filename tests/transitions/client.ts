/**
 * A client with rows of its own, which knows what it has written: every answer is compared with that, while transitions come and go. Ids and
 * values of two clients are disjoint, so that nobody else changes what it sees.
 */

import type { ScalarType } from '#value';
import type { Reply } from '../support/database.ts';
import { type Cell, matching, mutation, type Typed, type Workshop } from './support.ts';

/** Ids and values of one client begin at a multiple of it. */
const span = 1_000_000;
const valuesMax = 60;

export interface Rules {
  /** What a value that the transition forbids looks like; absent: there is none. */
  readonly forbidden?: Cell;
  /** Whether two rows never have one value. */
  readonly unique: boolean;
}

export class Client {
  /** By id; null is NULL. */
  readonly rows = new Map<number, number | null>();
  gates = 0;
  private readonly db: Workshop;
  private readonly base: number;
  private readonly unit: () => number;
  private readonly rules: Rules;
  private type: ScalarType;
  private next = 0;

  constructor(
    db: Workshop,
    number: number,
    { unit, rules, type }: { unit: () => number; rules: Rules; type: ScalarType },
  ) {
    this.db = db;
    this.base = number * span;
    this.unit = unit;
    this.rules = rules;
    this.type = type;
  }

  /** Rows to begin with. */
  seed(count: number): readonly (readonly Cell[])[] {
    return Array.from({ length: count }, () => {
      const id = this.freshId();
      const value = this.freeValue() ?? null;
      this.rows.set(id, value);
      return [String(id), value === null ? null : String(value)];
    });
  }

  /** One operation; throws when its answer is not what it has to be. */
  async act(): Promise<void> {
    const dice = this.unit();
    if (dice < 0.25) await this.create();
    else if (dice < 0.5) await this.update();
    else if (dice < 0.6) await this.remove();
    else if (dice < 0.7) await this.forbidden();
    else if (dice < 0.85) await this.readValue();
    else await this.readAll();
  }

  private async create(): Promise<void> {
    const id = this.freshId();
    const value = this.freeValue();
    if (value === undefined) return;
    await this.write('create', id, value);
    this.rows.set(id, value);
  }

  private async update(): Promise<void> {
    const id = this.someId();
    const value = this.freeValue();
    if (id === undefined || value === undefined) return;
    await this.write('update', id, value);
    this.rows.set(id, value);
  }

  private async remove(): Promise<void> {
    const id = this.someId();
    if (id === undefined || this.rows.size < 5) return;
    const reply = await this.send(() => mutation('delete', 't', ['id int64'], [String(id)]));
    this.expect(reply.status === 200, 'a delete', reply);
    this.rows.delete(id);
  }

  /** What the transition forbids from its start on. */
  private async forbidden(): Promise<void> {
    const { forbidden } = this.rules;
    const id = this.someId();
    if (forbidden === undefined || id === undefined) return;
    const kind = this.unit() < 0.5 ? 'create' : 'update';
    const at = kind === 'create' ? this.freshId() : id;
    const reply = await this.send(() => this.mutation(kind, at, forbidden));
    this.expect(reply.status === 422, 'a forbidden value', reply);
  }

  private async readValue(): Promise<void> {
    const value = this.base + Math.floor(this.unit() * valuesMax);
    const reply = await this.send(() => matching('t', 'v', this.type, String(value)));
    const wanted = [...this.rows].filter(([, held]) => held === value).map(([id]) => id);
    this.compare(reply, wanted);
  }

  private async readAll(): Promise<void> {
    const id = this.someId();
    if (id === undefined) return;
    const reply = await this.send(() => matching('t', 'id', 'int64', String(id)));
    this.compare(reply, [id]);
  }

  private compare(reply: Reply, wanted: readonly number[]): void {
    const { result } = reply.json as { result: { id: number; v: unknown }[] };
    const got = result.map(({ id }) => id);
    const isRight = JSON.stringify(got) === JSON.stringify(wanted.toSorted((a, b) => a - b));
    this.expect(isRight, `rows ${wanted}`, reply);
    for (const { id, v } of result) {
      this.expect(Number(v) === this.rows.get(id), `value ${this.rows.get(id)} of ${id}`, reply);
    }
  }

  private async write(kind: 'create' | 'update', id: number, value: number): Promise<void> {
    const reply = await this.send(() => this.mutation(kind, id, String(value)));
    this.expect(reply.status === 200, `${kind} ${id} ${value}`, reply);
  }

  private mutation(kind: 'create' | 'update', id: number, value: Cell): object {
    const suffix = value === null ? '?' : '';
    const columns = ['id int64', `v ${this.type}${suffix}`] as readonly Typed[];
    return mutation(kind, 't', columns, [String(id), value]);
  }

  /** Sends until the answer is no gate; the column may have got another type meanwhile. */
  private async send(statement: () => object): Promise<Reply> {
    for (;;) {
      const named = { name: 's', ...statement() };
      const reply = await this.db.send('POST', '/execute', { statements: [named] });
      const { reason } = reply.json as { reason?: string };
      if (reason === 'schema_transition_finalizing') {
        this.gates++;
      } else if (reason === 'type_mismatch' && this.type === 'text') {
        const [, table] = this.db.engine.catalog.tables;
        const type = table?.columns[1]?.type;
        if (type === 'text' || type === undefined) return reply;
        this.type = type;
      } else {
        return reply;
      }
    }
  }

  private freshId(): number {
    return this.base + this.next++;
  }

  private someId(): number | undefined {
    const ids = [...this.rows.keys()];
    return ids[Math.floor(this.unit() * ids.length)];
  }

  /** A value; under `unique` one that no row has, undefined when all are taken. */
  private freeValue(): number | undefined {
    const first = Math.floor(this.unit() * valuesMax);
    for (let i = 0; i < valuesMax; i++) {
      const value = this.base + ((first + i) % valuesMax);
      if (!this.rules.unique || ![...this.rows.values()].includes(value)) return value;
    }
    return undefined;
  }

  private expect(isRight: boolean, what: string, reply: Reply): void {
    if (!isRight) throw new Error(`expected ${what}, got ${reply.status} ${reply.text}`);
  }
}
