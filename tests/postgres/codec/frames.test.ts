/** Cutting a stream of bytes into messages, and reading their fields. */

import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { FrameReader } from '../../../src/postgres/codec/frame-reader.ts';
import { frontendMessage } from '../../../src/postgres/codec/frontend.ts';
import { ProtocolError } from '../../../src/postgres/codec/protocol-error.ts';
import { startupMessage } from '../../../src/postgres/codec/startup.ts';
import { SqlError } from '../../../src/sql/index.ts';
import { framed, joined, messages, startup } from '../support/messages.ts';

const limits = { messageBytesMax: 1 << 20, startupBytesMax: 10_000 };

function reader(): FrameReader {
  const made = new FrameReader(limits);
  made.started();
  return made;
}

function all(frames: FrameReader): (readonly [number, string])[] {
  const found: (readonly [number, string])[] = [];
  for (let frame = frames.next(); frame !== undefined; frame = frames.next()) {
    found.push([frame.type, frame.body.toHex()]);
  }
  return found;
}

const stream = joined([
  messages.query('select 1'),
  messages.parse('', 'select $1', [23]),
  messages.bind('', '', [new TextEncoder().encode('7'), null]),
  messages.describe('P', ''),
  messages.execute('', 0),
  messages.sync(),
  messages.query('x'.repeat(3000)),
  messages.terminate(),
]);

function whole(): (readonly [number, string])[] {
  const frames = reader();
  frames.push(stream);
  return all(frames);
}

describe('frames', () => {
  test('every cut of a stream in two pieces gives the same messages', () => {
    const expected = whole();
    expect(expected.length).toBe(8);
    for (let at = 0; at <= stream.length; at++) {
      const frames = reader();
      frames.push(stream.slice(0, at));
      const found = all(frames);
      frames.push(stream.slice(at));
      expect([...found, ...all(frames)]).toEqual(expected);
      expect(frames.pendingBytes).toBe(0);
    }
  });

  test('every split in pieces gives the same messages, also if they are read late', () => {
    const expected = whole();
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 700 }), fc.boolean())), (pieces) => {
        const frames = reader();
        const found: (readonly [number, string])[] = [];
        let at = 0;
        for (const [size, isRead] of [...pieces, [stream.length, true] as const]) {
          frames.push(stream.slice(at, at + size));
          at += size;
          if (isRead) found.push(...all(frames));
        }
        expect(found).toEqual(expected);
      }),
    );
  });

  test('bodies that were read stay the same while more bytes arrive', () => {
    const frames = reader();
    const bodies: Uint8Array[] = [];
    for (const byte of stream) {
      frames.push(Uint8Array.of(byte));
      for (let frame = frames.next(); frame !== undefined; frame = frames.next()) {
        bodies.push(frame.body);
      }
    }
    expect(bodies.map((body) => body.toHex())).toEqual(whole().map(([, hex]) => hex));
  });

  test.each([0, 1, 3, 0xffff_ffff])('a length of %d is refused', (length) => {
    const frames = reader();
    const bytes = framed('Q', new Uint8Array(0));
    new DataView(bytes.buffer).setUint32(1, length);
    frames.push(bytes);
    expect(() => frames.next()).toThrow(ProtocolError);
  });

  test('a startup packet has at most 10,000 bytes', () => {
    const frames = new FrameReader(limits);
    frames.push(Uint8Array.of(0, 0, 0x27, 0x11));
    expect(() => frames.next()).toThrow('invalid length of startup packet');
  });

  test('a claimed length needs no memory until its bytes arrive', () => {
    const frames = new FrameReader({ ...limits, messageBytesMax: 1 << 30 });
    frames.started();
    frames.push(Uint8Array.of(0x51, 0x3f, 0xff, 0xff, 0xff));
    expect(frames.next()).toBeUndefined();
    expect(frames.pendingBytes).toBe(5);
  });
});

function one(bytes: Uint8Array) {
  const frames = reader();
  frames.push(bytes);
  return frontendMessage(frames.next() as NonNullable<ReturnType<FrameReader['next']>>);
}

describe('fields', () => {
  test('messages are read', () => {
    expect(one(messages.query('select 1'))).toEqual({ kind: 'query', text: 'select 1' });
    expect(one(messages.parse('s', 'select $1', [23, 0]))).toEqual({
      kind: 'parse',
      name: 's',
      text: 'select $1',
      types: [23, 0],
    });
    const value = Uint8Array.of(1, 2);
    expect(one(messages.bind('p', 's', [value, null], { formats: [1], results: [0, 1] }))).toEqual({
      kind: 'bind',
      portal: 'p',
      statement: 's',
      parameterFormats: [1],
      values: [value, null],
      resultFormats: [0, 1],
    });
    expect(one(messages.execute('p', 5))).toEqual({ kind: 'execute', portal: 'p', rowsMax: 5 });
  });

  test('a body that is cut or too long is a protocol error', () => {
    const bytes = messages.bind('p', 's', [Uint8Array.of(1), null], { formats: [1], results: [1] });
    const body = bytes.slice(5);
    for (let length = 0; length < body.length; length++) {
      expect(() => one(framed('B', body.slice(0, length)))).toThrow(ProtocolError);
    }
    expect(() => one(framed('B', joined([body, Uint8Array.of(0)])))).toThrow(ProtocolError);
  });

  test('any bytes are a message, a protocol error or text that is not UTF-8', () => {
    fc.assert(
      fc.property(fc.constantFrom(...'QPBDCESHXdcfFzp'), fc.uint8Array(), (type, body) => {
        try {
          one(framed(type, body));
        } catch (error) {
          expect(error instanceof ProtocolError || error instanceof SqlError).toBe(true);
        }
      }),
    );
  });

  test('a text that is not UTF-8 has the SQLSTATE 22021', () => {
    const error = (() => {
      try {
        return one(framed('Q', Uint8Array.of(0xff, 0)));
      } catch (thrown) {
        return thrown;
      }
    })();
    expect((error as SqlError).trouble.sqlstate).toBe('22021');
  });
});

describe('startup', () => {
  test('parameters, cancellation and encryption are told apart', () => {
    const body = startup({ user: 'ada', database: 'shop', '_pq_.x': '1' }).slice(4);
    expect(startupMessage(body)).toEqual({
      kind: 'startup',
      minor: 0,
      parameters: new Map([
        ['user', 'ada'],
        ['database', 'shop'],
      ]),
      unknownOptions: ['_pq_.x'],
    });
    expect(startupMessage(messages.cancel(7, -8).slice(4))).toEqual({
      kind: 'cancel',
      pid: 7,
      secret: -8,
    });
    expect(startupMessage(messages.sslRequest().slice(4))).toEqual({
      kind: 'encryption',
      by: 'tls',
    });
  });

  test('any bytes are a first message or a protocol error', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(196608, 196610, 80877102, 80877103, 1),
        fc.uint8Array(),
        (code, rest) => {
          const body = new Uint8Array(4 + rest.length);
          new DataView(body.buffer).setUint32(0, code);
          body.set(rest, 4);
          try {
            startupMessage(body);
          } catch (error) {
            expect(error instanceof ProtocolError || error instanceof SqlError).toBe(true);
          }
        },
      ),
    );
  });
});
