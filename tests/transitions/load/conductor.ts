/** The transitions, one after the other, while the clients work; what each of them has to end with. */

import type { Law } from './law.ts';
import { type Item, read, write } from './programs.ts';
import type { Server } from './server.ts';
import type { Team } from './team.ts';
import { type Control, ended, getTransition, startTransition } from './watch.ts';

export interface ConductorParts {
  readonly server: Server;
  readonly law: Law;
  readonly team: Team;
  /** Operations over which throughput is taken before and after each transition. */
  readonly window: number;
  readonly print: (line: string) => void;
}

/** Rows that belong to no client, and never change but by the conductor. */
export const witnesses: readonly Item[] = [1, 2].map((id) => {
  return { id, stock: id, code: `${id}`, tag: id, note: id, seat: null };
});

/** Rows that are set right only after the start. */
const repairedLate = 5;

export class Conductor {
  private readonly parts: ConductorParts;

  constructor(parts: ConductorParts) {
    this.parts = parts;
  }

  async run(): Promise<void> {
    await this.buildIndex();
    await this.failUnique();
    await this.failUniqueByOnePair();
    await this.buildUnique();
    await this.replaceColumn();
    await this.failNotNull();
    await this.validateNotNull();
  }

  private async buildIndex(): Promise<void> {
    const { law, server } = this.parts;
    const index = { name: 'item_stock', columns: ['stock'], unique: false };
    await this.during('index build', { kind: 'start_index_build', index }, 'ready', {
      ended: () => {
        law.isIndexed = true;
      },
    });
    const program = { statements: [read({ column: 'stock', from: 1 })] };
    const { text } = await server.ok('POST', '/execute?show-plan=true', program);
    if (!text.includes('item_stock')) server.wrong('a plan with the new index', program, text);
  }

  /** Writers may make duplicates all the time, and do. */
  private async failUnique(): Promise<void> {
    await this.failingUnique('unique build that fails');
  }

  /** Nobody makes any: what there is, the build itself has to find. */
  private async failUniqueByOnePair(): Promise<void> {
    const { team, law } = this.parts;
    await team.rest();
    law.tags = 'distinct';
    await this.repair('tag', this.duplicates());
    team.release();
    await this.failingUnique('unique build, one pair');
    law.tags = 'free';
    await team.rate(this.parts.window);
  }

  private async failingUnique(name: string): Promise<void> {
    const { server } = this.parts;
    await this.witness({ tag: 1 });
    const before = await server.ok('GET', '/tables');
    const { last_error } = await this.gated(name, uniqueTags, 'failed');
    const wanted = 'unique index "item_tag" of table "item"';
    if (!last_error?.includes(wanted)) server.wrong(wanted, uniqueTags, `${last_error}`);
    const after = await server.ok('GET', '/tables');
    if (after.text !== before.text) server.wrong(before.text, { path: '/tables' }, after.text);
    await this.witness({ tag: 2 });
  }

  /** Duplicates are set right before it, the last ones while it is under way. */
  private async buildUnique(): Promise<void> {
    const { team, law } = this.parts;
    await team.rest();
    law.tags = 'distinct';
    const repair = { column: 'tag', repairs: () => this.duplicates() } as const;
    await this.repaired('unique build', uniqueTags, repair, {
      ended: () => {
        law.tags = 'unique';
      },
    });
  }

  /** All rows but the first of each tag, with tags of their own. */
  private duplicates(): Repairs {
    return this.parts.team.clients.flatMap(({ own }) => {
      const seen = new Set<number>();
      return own
        .where(({ tag }) => seen.size === seen.add(tag).size)
        .map((item) => ({ own, item: { ...item, tag: own.freshTag() } }));
    });
  }

  private async replaceColumn(): Promise<void> {
    const { law } = this.parts;
    const replacement = { type: 'int64', nullable: false, conversion: 'strict_builtin' };
    const start = { kind: 'start_column_replacement', column_id: 3, replacement };
    await this.gated('column replacement', start, 'ready', {
      started: () => {
        law.isReplacing = true;
      },
      ended: () => {
        law.codes = 'int64';
      },
    });
  }

  private async failNotNull(): Promise<void> {
    const { law, server } = this.parts;
    await this.witness({ note: null });
    law.nulls = 'none';
    const { last_error } = await this.gated('not-null, fails', notNull, 'failed', {
      started: () => {
        law.nulls = 'refused';
      },
      ended: () => {
        law.nulls = 'free';
      },
    });
    const wanted = 'column "note" is NULL';
    if (!last_error?.includes(wanted)) server.wrong(wanted, notNull, `${last_error}`);
    await this.witness({ note: 1 });
  }

  private async validateNotNull(): Promise<void> {
    const { team, law } = this.parts;
    await team.rest();
    law.nulls = 'none';
    const repairs = () =>
      team.clients.flatMap(({ own }) =>
        own
          .where(({ note }) => note === null)
          .map((item) => ({ own, item: { ...item, note: item.id % 100 } })),
      );
    await this.repaired(
      'not-null validation',
      notNull,
      { column: 'note', repairs },
      {
        started: () => {
          law.nulls = 'refused';
        },
        failed: () => {
          law.nulls = 'none';
        },
      },
    );
  }

  /** It has to be ready when all was right while it was still looking at rows; else it may have come too late. */
  private async repaired(
    name: string,
    start: object,
    { column, repairs }: Repair,
    hooks: Hooks,
  ): Promise<void> {
    const { server, team } = this.parts;
    const all = repairs();
    const [late, early] = [all.slice(0, repairedLate), all.slice(repairedLate)];
    await this.repair(column, early);
    let mustBeReady = false;
    const control = await this.gated(name, start, undefined, {
      started: async (id) => {
        await hooks.started?.(id);
        await this.repair(column, late);
        mustBeReady = (await getTransition(server, id)).state === 'building';
        team.release();
      },
      ended: (end) => {
        if (end.state === 'ready') hooks.ended?.(end);
        else hooks.failed?.();
      },
    });
    if (control.state === 'ready') return;
    if (mustBeReady) server.wrong('ready', start, JSON.stringify(control));
    // What was taken before anybody knew of the failure is repaired as well.
    await team.rest();
    await this.repair(column, repairs());
    await this.gated(`${name}, again`, start, 'ready', {
      ...hooks,
      started: async (id) => {
        await hooks.started?.(id);
        team.release();
      },
    });
  }

  private async repair(column: 'tag' | 'note', repairs: Repairs): Promise<void> {
    const { server, law } = this.parts;
    for (let from = 0; from < repairs.length; from += 1000) {
      const some = repairs.slice(from, from + 1000);
      const items = some.map(({ item }) => item);
      const statements = [write('update', ['id', column], items, law.codes)];
      await server.ensure({ statements });
      for (const { own, item } of some) own.put(item);
    }
  }

  private async witness(change: Partial<Item>): Promise<void> {
    const { server, law } = this.parts;
    const columns = ['id', ...Object.keys(change)] as (keyof Item)[];
    const statements = [write('update', columns, [{ id: 2, ...change }], law.codes)];
    await server.ensure({ statements });
  }

  /** One that shuts the gate of its table for its last step. */
  private async gated(
    name: string,
    start: object,
    wanted: string | undefined,
    hooks: Hooks = {},
  ): Promise<Control> {
    const { law } = this.parts;
    law.gate = 'starting';
    law.gates++;
    return this.during(name, start, wanted, {
      started: async (id) => {
        law.gate = id;
        await hooks.started?.(id);
      },
      ended: (end) => {
        law.gate = undefined;
        hooks.ended?.(end);
      },
    });
  }

  private async during(
    name: string,
    start: object,
    wanted: string | undefined,
    hooks: Hooks,
  ): Promise<Control> {
    const { team, server, window, print } = this.parts;
    const before = team.isResting ? undefined : await team.rate(window);
    const startedMs = performance.now();
    const control = await startTransition(server, start);
    await hooks.started?.(control.transition_id);
    const from = team.operations;
    const fromMs = performance.now();
    const end = await team.alongside(ended(server, control));
    hooks.ended?.(end);
    const endMs = performance.now();
    const during = ((team.operations - from) * 1000) / (endMs - fromMs);
    if (wanted !== undefined && end.state !== wanted) {
      server.wrong(wanted, start, JSON.stringify(end));
    }
    const rates = [before, during, await team.rate(window)];
    const shown = rates.map((rate) => (rate === undefined ? '-' : Math.round(rate))).join(' / ');
    const seconds = ((endMs - startedMs) / 1000).toFixed(1);
    print(
      `${name.padEnd(24)} ${end.state.padEnd(6)} ${seconds.padStart(6)} s, ${end.rows_scanned} rows looked at; ` +
        `operations/s before / during / after: ${shown}`,
    );
    return end;
  }
}

const uniqueTags = {
  kind: 'start_index_build',
  index: { name: 'item_tag', columns: ['tag'], unique: true },
};

const notNull = {
  kind: 'start_constraint_validation',
  constraint: { name: 'note_set', kind: 'not_null', column_id: 5 },
};

/** Around the time in which a transition is at work: after its start was answered, and as its end is known. */
interface Hooks {
  readonly started?: (id: string) => void | Promise<void>;
  readonly ended?: (end: Control) => void;
  /** At the end of one that did not become ready, where that is allowed; then `ended` is not called. */
  readonly failed?: () => void;
}

type Repairs = readonly { readonly own: { put(item: Item): void }; readonly item: Item }[];

interface Repair {
  readonly column: 'tag' | 'note';
  /** What there is to repair at that moment. */
  readonly repairs: () => Repairs;
}
