/** One of the clients: reads and writes rows of its own, whose answers it knows, and fights with the others for seats. */

import { Fights } from './fights.ts';
import type { Law } from './law.ts';
import type { Partition } from './partition.ts';
import {
  type CodeType,
  type Column,
  type Item,
  itemColumns,
  type Range,
  read,
  write,
} from './programs.ts';
import { compareItems } from './same-items.ts';
import type { Seats } from './seats.ts';
import type { Answer, Server } from './server.ts';

/** Reasons of a NULL, or of a text that is no number, where it may not be: while it is validated, and once the column is what it was to be. */
const refusing = ['constraint_violation', 'type_mismatch'];

export interface Together {
  readonly server: Server;
  readonly law: Law;
  readonly seats: Seats;
}

export class Client {
  readonly own: Partition;
  private readonly server: Server;
  private readonly law: Law;
  private readonly fights: Fights;

  constructor(number: number, own: Partition, together: Together) {
    this.own = own;
    this.server = together.server;
    this.law = together.law;
    this.fights = new Fights(number, own, together);
  }

  /** One operation; throws when its answer is not what it has to be. */
  async act(): Promise<void> {
    const { unit } = this.own;
    const dice = unit();
    if (this.own.size < 8 || dice < 0.12) await this.create();
    else if (dice < 0.34) await this.update();
    else if (dice < 0.38) await this.swapTags();
    else if (dice < 0.46) await this.remove();
    else if (dice < 0.52) await this.forbidden();
    else if (dice < 0.62) await this.fights.act();
    else if (dice < 0.74) await this.readPoint();
    else if (dice < 0.86) await this.readRange();
    else await this.readStock();
  }

  private async create(): Promise<void> {
    const items = Array.from({ length: 1 + this.own.below(3) }, () => this.newItem());
    const kept = await this.write('create', itemColumns, items);
    for (const item of items) {
      if (kept) this.own.put(item);
      else this.release(item.tag);
    }
  }

  private newItem(): Item {
    const { own } = this;
    return {
      id: own.freshId(),
      stock: own.stock(),
      code: own.code(),
      tag: this.tag(),
      note: this.note(),
      seat: null,
    };
  }

  private tag(): number {
    const { own, law } = this;
    const other = law.tags === 'free' && own.unit() < 0.2 ? own.some(1)[0] : undefined;
    return other?.tag ?? own.freshTag();
  }

  private note(): number | null {
    return this.law.nulls === 'free' && this.own.unit() < 0.1 ? null : this.own.below(1000);
  }

  /** Some columns of a few rows, and, half the time, a look at one of them in the same program. */
  private async update(): Promise<void> {
    const { own } = this;
    const columns = (['stock', 'code', 'tag', 'note'] as const).filter(() => own.unit() < 0.4);
    if (columns.length === 0) return;
    const before = own.some(1 + own.below(3));
    const items = before.map((item) => this.changed(item, columns));
    const looks = own.unit() < 0.5 ? [{ column: 'id', from: items[0]?.id as number } as const] : [];
    const isKept = await this.write('update', ['id', ...columns], items, looks);
    const gone = isKept ? before : items;
    if (isKept) for (const item of items) own.put(item);
    if (columns.includes('tag')) for (const { tag } of gone) this.release(tag);
  }

  private changed(item: Item, columns: readonly Column[]): Item {
    return {
      ...item,
      ...(columns.includes('stock') && { stock: this.own.stock() }),
      ...(columns.includes('code') && { code: this.own.code() }),
      ...(columns.includes('tag') && { tag: this.tag() }),
      ...(columns.includes('note') && { note: this.note() }),
    };
  }

  /** While rows may share a tag, one that a row has let go may still be that of another. */
  private release(tag: number): void {
    if (this.law.tags !== 'free') this.own.freeTag(tag);
  }

  private async swapTags(): Promise<void> {
    const [a, b] = this.own.some(2);
    if (a === undefined || b === undefined) return;
    const items = [
      { ...a, tag: b.tag },
      { ...b, tag: a.tag },
    ];
    if (await this.write('update', ['id', 'tag'], items)) {
      for (const item of items) this.own.put(item);
    }
  }

  private async remove(): Promise<void> {
    const gone = this.own.some(1 + this.own.below(2));
    if (gone.some(({ seat }) => seat !== null)) return;
    if (!(await this.write('delete', ['id'], gone))) return;
    for (const { id, tag } of gone) {
      this.own.delete(id);
      this.release(tag);
    }
  }

  /** What must be refused by now: NULL, a text that is no number, a tag that another row has. */
  private async forbidden(): Promise<void> {
    const { own, law } = this;
    const [item, other] = own.some(2) as [Item, Item | undefined];
    if (law.nulls === 'refused' && own.unit() < 0.4) {
      const program = {
        statements: [write('update', ['id', 'note'], [{ ...item, note: null }], law.codes)],
      };
      const answer = await this.server.run(program, true);
      if (answer?.status === 200) await this.nullWasKept(item, program);
      else this.mustBe(answer, refusing, program);
    } else if (law.isReplacing && own.unit() < 0.5) {
      const code = own.unit() < 0.5 ? 'x' : '1.5';
      const program = {
        statements: [write('update', ['id', 'code'], [{ ...item, code }], 'text')],
      };
      this.mustBe(await this.server.run(program, true), refusing, program);
    } else if (law.tags === 'unique' && other !== undefined) {
      const columns = ['id', 'tag'] as const;
      const items = [{ id: item.id, tag: other.tag }];
      const program = { statements: [write('update', columns, items, law.codes)] };
      this.mustBe(await this.server.run(program, true), ['constraint_violation'], program);
    }
  }

  /** A validation that fails ends before the conductor hears of it: NULL is taken again. */
  private async nullWasKept(item: Item, program: object): Promise<void> {
    this.own.put({ ...item, note: null });
    const { gate, nulls } = this.law;
    if (nulls !== 'refused') return;
    if (gate === undefined) this.server.wrong('a refusal', program, '200');
    const { state } = (await this.server.get(`/schema/transitions/${gate}`)) as { state: string };
    if (state !== 'failed')
      this.server.wrong('a refusal', program, `200 while ${gate} is ${state}`);
  }

  private mustBe(answer: Answer | undefined, reasons: readonly string[], program: object): void {
    if (answer === undefined || reasons.includes(answer.reason)) return;
    this.server.wrong(`a refusal by ${reasons}`, program, answer.text);
  }

  private readPoint(): Promise<void> {
    const { own } = this;
    const from = own.base + own.below(own.endOfIds - own.base);
    return this.read([{ column: 'id', from }], own.between(from, from + 1));
  }

  private readRange(): Promise<void> {
    const { own } = this;
    const from = own.base + own.below(own.endOfIds - own.base);
    return this.read([{ column: 'id', from, to: from + 25 }], own.between(from, from + 25));
  }

  /** Without an index, only in a range of ids: nobody wants to look at a million rows each time. */
  private readStock(): Promise<void> {
    const { own, law } = this;
    const from = own.stock();
    const to = from + 1 + own.below(3);
    const isWanted = ({ stock }: Item) => stock >= from && stock < to;
    if (law.isIndexed) return this.read([{ column: 'stock', from, to }], own.where(isWanted));
    const first = own.base + own.below(own.endOfIds - own.base);
    const ids = { column: 'id', from: first, to: first + 200 } as const;
    return this.read(
      [{ column: 'stock', from, to }, ids],
      own.between(ids.from, ids.to).filter(isWanted),
    );
  }

  private async read(ranges: readonly Range[], wanted: readonly Item[]): Promise<void> {
    const program = { statements: [read(...ranges)] };
    const { codes } = this.law;
    const answer = await this.server.run(program, false);
    if (answer === undefined) return;
    this.compare(answer, codes, wanted, program);
  }

  private compare(answer: Answer, asked: CodeType, wanted: readonly Item[], program: object): void {
    const trouble = compareItems(this.law, asked, answer.result, wanted);
    if (trouble !== undefined) this.server.wrong(trouble, program, answer.text);
  }

  /** Whether it has happened. The type of `code` changes once, in between. */
  private async write(
    kind: 'create' | 'update' | 'delete',
    columns: readonly Column[],
    items: readonly Item[],
    looks: readonly Range[] = [],
  ): Promise<boolean> {
    const { law } = this;
    const codes = law.codes;
    const statements = [write(kind, columns, items, codes), ...looks.map((look) => read(look))];
    const program = { statements, result: looks.length > 0 ? 'q' : 'w' };
    const answer = await this.server.run(program, true);
    if (answer === undefined) return false;
    const isOvertaken =
      answer.reason === 'type_mismatch' && codes === 'text' && columns.includes('code');
    if (isOvertaken && law.isReplacing) {
      law.codes = 'int64';
      return this.write(kind, columns, items, looks);
    }
    if (columns.includes('note') && this.isNullRace(answer, items)) return false;
    if (answer.status !== 200) this.server.wrong('200', program, answer.text);
    if (looks.length > 0) this.compare(answer, codes, items.slice(0, 1), program);
    else if (kind !== 'delete') this.compare(answer, codes, items, program);
    return true;
  }

  /** A NULL that was under way as a validation began. */
  private isNullRace({ reason }: Answer, items: readonly Item[]): boolean {
    return (
      refusing.includes(reason) &&
      this.law.nulls !== 'free' &&
      items.some(({ note }) => note === null)
    );
  }
}
