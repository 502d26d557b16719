/** The messages of a client as bytes. */

const encoder = new TextEncoder();

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

export function int16(value: number): Uint8Array {
  return Uint8Array.of((value >> 8) & 255, value & 255);
}

export function int32(value: number): Uint8Array {
  return Uint8Array.of((value >> 24) & 255, (value >> 16) & 255, (value >> 8) & 255, value & 255);
}

function text(value: string): Uint8Array {
  return encoder.encode(`${value}\0`);
}

export function framed(type: string, body: Uint8Array): Uint8Array {
  return joined([encoder.encode(type), int32(body.length + 4), body]);
}

/** A message without a type, as at the beginning of a connection. */
function untyped(body: Uint8Array): Uint8Array {
  return joined([int32(body.length + 4), body]);
}

export function startup(
  parameters: Readonly<Record<string, string>>,
  version = 196608,
): Uint8Array {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => [text(name), text(value)]);
  return untyped(joined([int32(version), ...pairs, Uint8Array.of(0)]));
}

interface BindFormats {
  readonly formats?: readonly number[];
  readonly results?: readonly number[];
}

export const messages = {
  sslRequest: () => untyped(int32(80877103)),
  gssRequest: () => untyped(int32(80877104)),
  cancel: (pid: number, secret: number) =>
    untyped(joined([int32(80877102), int32(pid), int32(secret)])),
  password: (value: string) => framed('p', text(value)),
  query: (value: string) => framed('Q', text(value)),
  parse: (name: string, sql: string, types: readonly number[] = []) =>
    framed('P', joined([text(name), text(sql), int16(types.length), ...types.map(int32)])),
  bind: (
    portal: string,
    statement: string,
    values: readonly (Uint8Array | null)[] = [],
    { formats = [], results = [] }: BindFormats = {},
  ) =>
    framed(
      'B',
      joined([
        text(portal),
        text(statement),
        int16(formats.length),
        ...formats.map(int16),
        int16(values.length),
        ...values.flatMap((value) => (value === null ? [int32(-1)] : [int32(value.length), value])),
        int16(results.length),
        ...results.map(int16),
      ]),
    ),
  describe: (of: 'S' | 'P', name: string) => framed('D', joined([encoder.encode(of), text(name)])),
  close: (of: 'S' | 'P', name: string) => framed('C', joined([encoder.encode(of), text(name)])),
  execute: (portal: string, rowsMax = 0) => framed('E', joined([text(portal), int32(rowsMax)])),
  sync: () => framed('S', new Uint8Array(0)),
  flush: () => framed('H', new Uint8Array(0)),
  terminate: () => framed('X', new Uint8Array(0)),
};
