/** What one client does about seats: it takes one for a row of its own, gives it back, or looks who has one. */

import type { Together } from './client.ts';
import type { Partition } from './partition.ts';
import { type Item, read, write } from './programs.ts';
import type { Hold, Seats } from './seats.ts';
import type { Server } from './server.ts';

export class Fights {
  private readonly number: number;
  private readonly own: Partition;
  private readonly server: Server;
  private readonly seats: Seats;
  private readonly law: Together['law'];
  /** By seat. */
  private readonly held = new Map<number, { readonly hold: Hold; readonly id: number }>();

  constructor(number: number, own: Partition, { server, seats, law }: Together) {
    this.number = number;
    this.own = own;
    this.server = server;
    this.seats = seats;
    this.law = law;
  }

  async act(): Promise<void> {
    const seat = this.own.below(this.seats.count);
    const dice = this.own.unit();
    const first = this.held.keys().next().value;
    if (dice < 0.3) await this.look(seat);
    else if (first !== undefined && dice < 0.65) await this.leave(first);
    else await this.take(seat);
  }

  private async take(seat: number): Promise<void> {
    const [item] = this.own.some(1);
    if (item === undefined || item.seat !== null) return;
    const askedAt = this.seats.tick();
    const program = this.update({ ...item, seat });
    const answer = await this.server.run(program, true);
    if (answer === undefined) return;
    if (answer.reason === 'constraint_violation') {
      // Who has it oneself is refused for that.
      if (!this.held.has(seat)) this.seats.refused(this.number, seat, askedAt);
      return;
    }
    if (answer.status !== 200) this.server.wrong('200 or a seat taken', program, answer.text);
    const hold = this.seats.taken(this.number, seat, item.id, askedAt);
    this.held.set(seat, { hold, id: item.id });
    this.own.put({ ...item, seat });
  }

  private async leave(seat: number): Promise<void> {
    const { hold, id } = this.held.get(seat) as { hold: Hold; id: number };
    const item = this.own.get(id) as Item;
    hold.leavingAt = this.seats.tick();
    const program = this.update({ ...item, seat: null });
    const answer = await this.server.run(program, true);
    if (answer === undefined) {
      // Nothing has happened, and nobody else can have had it meanwhile.
      hold.leavingAt = Number.POSITIVE_INFINITY;
      return;
    }
    if (answer.status !== 200) this.server.wrong('200', program, answer.text);
    hold.leftAt = this.seats.tick();
    this.held.delete(seat);
    this.own.put({ ...item, seat: null });
  }

  private async look(seat: number): Promise<void> {
    const askedAt = this.seats.tick();
    const program = { statements: [read({ column: 'seat', from: seat })] };
    const answer = await this.server.run(program, false);
    if (answer === undefined) return;
    if (answer.result.length > 1) this.server.wrong('one row at most', program, answer.text);
    this.seats.seen(this.number, seat, answer.result[0]?.['id'] as number | undefined, askedAt);
  }

  private update(item: Item) {
    return { statements: [write('update', ['id', 'seat'], [item], this.law.codes)] };
  }
}
