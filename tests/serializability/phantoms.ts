/**
 * Transactions that decide by what a predicate finds, or does not find: rooms with at most three guests, shifts with at least one
 * doctor, bookings that do not overlap. Any two of them that miss each other's rows break a rule that every state must keep.
 */

import type { Attempt, Workload } from './drive.ts';
import type { Anomaly } from './history.ts';
import { all, arraysOf, bool, Chain, col, compare, int, not, statement } from './lir.ts';

const rooms = 3;
const guestsMax = 3;
const shifts = 3;
const doctorsPerShift = 4;
const hours = 24;

export interface PhantomWorkload extends Workload {
  readonly anomalies: Anomaly[];
  /** How often each kind of decision fell which way: a rule that never bound proves nothing. */
  readonly decisions: Map<string, number>;
}

interface State {
  readonly guests: readonly { readonly room: number }[];
  readonly doctors: readonly { readonly shift: number; readonly on_call: boolean }[];
  readonly bookings: readonly { readonly since: number; readonly until: number }[];
}

export function phantoms(): PhantomWorkload {
  const anomalies: Anomaly[] = [];
  const decisions = new Map<string, number>();
  let nextId = 1;
  const decide = (name: string, program: unknown): Attempt => ({
    program,
    settle({ affected }) {
      if (affected === undefined) return;
      const decision = `${name} ${affected[0] === 0 ? 'refused' : 'done'}`;
      decisions.set(decision, (decisions.get(decision) ?? 0) + 1);
    },
  });
  const look = (): Attempt => ({
    program: lookProgram,
    settle: ({ result }) => {
      if (result !== undefined) anomalies.push(...broken(result as State));
    },
  });
  const kinds: ((random: (below: number) => number) => Attempt)[] = [
    (random) => decide('check in', checkIn(nextId++, random(rooms))),
    (random) => decide('check out', checkOut(1 + random(nextId))),
    (random) => decide('go off call', goOffCall(random(shifts), random(doctorsPerShift))),
    (random) => decide('go on call', goOnCall(random(shifts), random(doctorsPerShift))),
    (random) => decide('book', book(nextId++, random(hours), 1 + random(4))),
    (random) => decide('cancel', cancel(random(hours))),
    look,
  ];
  return {
    anomalies,
    decisions,
    tables: [table('guest', ['id', 'room'], ['room']), doctorTable, bookingTable],
    setup: [doctorsProgram()],
    next(random) {
      const below = (n: number) => Math.floor(random() * n);
      const kind = kinds[below(kinds.length)] as (typeof kinds)[number];
      return kind(below);
    },
    last: look,
  };
}

/** The rules that the state breaks. */
function broken({ guests, doctors, bookings }: State): Anomaly[] {
  const found: Anomaly[] = [];
  for (let room = 0; room < rooms; room++) {
    const n = guests.filter((guest) => guest.room === room).length;
    if (n > guestsMax) found.push({ name: 'phantom', detail: `room ${room} has ${n} guests` });
  }
  for (let shift = 0; shift < shifts; shift++) {
    if (!doctors.some((doctor) => doctor.shift === shift && doctor.on_call)) {
      found.push({ name: 'write skew', detail: `nobody is on call in shift ${shift}` });
    }
  }
  const sorted = bookings.toSorted((a, b) => a.since - b.since);
  for (const [i, booking] of sorted.entries()) {
    const next = sorted[i + 1];
    if (next !== undefined && next.since < booking.until) {
      const detail = `${booking.since}-${booking.until} and ${next.since}-${next.until} overlap`;
      found.push({ name: 'phantom', detail });
    }
  }
  return found;
}

const single = (it: unknown) => ({ statements: [it] });

const lookProgram = {
  statements: [
    statement('query', 'guests', Chain.scan('guest', 'g').orderBy('id')),
    statement('query', 'doctors', Chain.scan('doctor', 'd').orderBy('id')),
    statement('query', 'bookings', Chain.scan('booking', 'b').orderBy('id')),
    arraysOf('out', { guests: 'id', doctors: 'id', bookings: 'id' }),
  ],
  result: 'out',
};

function checkIn(id: number, room: number): unknown {
  const guests = Chain.scan('guest', 'g').where(compare('eq', col('g', 'room'), int(room)));
  const free = guests.count().where(compare('lt', col('gn', 'n'), int(guestsMax)));
  return single(
    statement('create', 'c', free.pick({ id: int(id), room: int(room) }), { table: 'guest' }),
  );
}

function checkOut(id: number): unknown {
  const guest = Chain.scan('guest', 'g').where(compare('gte', col('g', 'id'), int(id)));
  const first = guest
    .orderBy('id')
    .slice(1)
    .pick({ id: col('g', 'id') });
  return single(statement('delete', 'd', first, { table: 'guest' }));
}

/** Only while another one of the shift is on call. */
function goOffCall(shift: number, which: number): unknown {
  const onCall = (id: string) =>
    Chain.scan('doctor', id).where(
      all(compare('eq', col(id, 'shift'), int(shift)), col(id, 'on_call')),
    );
  const others = onCall('o').count();
  const doctor = onCall('d')
    .with(others)
    .where(compare('eq', col('d', 'id'), int(shift * doctorsPerShift + which)))
    .where(compare('gte', { kind: 'scalar', node: others.node }, int(2)))
    .pick({ id: col('d', 'id'), on_call: bool(false) });
  return single(statement('update', 'u', doctor, { table: 'doctor' }));
}

function goOnCall(shift: number, which: number): unknown {
  const doctor = Chain.row('r', { id: shift * doctorsPerShift + which }).pick({
    id: col('r', 'id'),
    on_call: bool(true),
  });
  return single(statement('update', 'u', doctor, { table: 'doctor' }));
}

function book(id: number, since: number, length: number): unknown {
  const until = since + length;
  const taken = Chain.scan('booking', 'b').where(
    all(compare('lt', col('b', 'since'), int(until)), compare('gt', col('b', 'until'), int(since))),
  );
  const wanted = Chain.row('r', { id, since, until })
    .with(taken)
    .where(not({ kind: 'exists', node: taken.node }));
  return single(statement('create', 'c', wanted, { table: 'booking' }));
}

function cancel(since: number): unknown {
  const bookings = Chain.scan('booking', 'b').where(compare('gte', col('b', 'since'), int(since)));
  const chosen = bookings.pick({ id: col('b', 'id') });
  return single(statement('delete', 'd', chosen, { table: 'booking' }));
}

function table(name: string, columns: readonly string[], indexed: readonly string[]) {
  return {
    name,
    columns: columns.map((column) => ({ name: column, type: 'int64' })),
    primary_key: ['id'],
    indexes: indexed.map((column) => ({ name: `${name}_${column}_idx`, columns: [column] })),
  };
}

const bookingTable = table('booking', ['id', 'since', 'until'], ['since']);
const doctorIds = table('doctor', ['id', 'shift'], ['shift']);
const doctorTable = {
  ...doctorIds,
  columns: [...doctorIds.columns, { name: 'on_call', type: 'bool' }],
};

function doctorsProgram(): unknown {
  const doctors = Array.from({ length: shifts * doctorsPerShift }, (_, id) => {
    const shift = Math.floor(id / doctorsPerShift);
    const row = Chain.row('r', { id, shift }).pick({
      id: col('r', 'id'),
      shift: col('r', 'shift'),
      on_call: bool(true),
    });
    return statement('create', `d${id}`, row, { table: 'doctor' });
  });
  return { statements: doctors, result: 'd0' };
}
