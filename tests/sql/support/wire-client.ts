/** A small client of the PostgreSQL protocol 3.0, without authentication: one connection, one statement at a time, values as text. */

export interface WireColumn {
  readonly name: string;
  readonly oid: number;
}

export interface WireError {
  readonly sqlstate: string;
  readonly message: string;
}

export interface WireResult {
  readonly columns: readonly WireColumn[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly tag: string;
  readonly error?: WireError | undefined;
}

export type WireAddress = { readonly unix: string } | { readonly port: number };

interface Reply {
  readonly results: WireResult[];
  readonly resolve: (results: readonly WireResult[]) => void;
  readonly reject: (cause: Error) => void;
  columns: WireColumn[];
  rows: (string | null)[][];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class WireClient {
  private buffered: Uint8Array = new Uint8Array(0);
  private reply: Reply | undefined;
  private socket: { write(bytes: Uint8Array): number; end(): void } | undefined;

  static async connect(address: WireAddress, user = 'postgres'): Promise<WireClient> {
    const client = new WireClient();
    const socket = {
      data: (_: unknown, bytes: Uint8Array) => client.receive(bytes),
      close: () => client.reply?.reject(new Error('the server closed the connection')),
      error: (_: unknown, cause: Error) => client.reply?.reject(cause),
    };
    client.socket =
      'unix' in address
        ? await Bun.connect({ unix: address.unix, socket })
        : await Bun.connect({ hostname: '127.0.0.1', port: address.port, socket });
    const startup = Buffer.concat([
      int32(196_608),
      text('user'),
      text(user),
      text('database'),
      text('postgres'),
      text(''),
    ]);
    await client.exchange(Buffer.concat([int32(startup.length + 4), startup]));
    return client;
  }

  /** Runs the statements of one simple query message. */
  query(sql: string): Promise<readonly WireResult[]> {
    return this.exchange(message('Q', text(sql)));
  }

  /** Runs one statement by the extended protocol; the server infers the types of parameters whose type is 0. */
  async execute(
    sql: string,
    parameters: readonly (string | null)[],
    types: readonly number[] = [],
  ): Promise<WireResult> {
    const values = parameters.map((value) => {
      if (value === null) return int32(-1);
      const bytes = encoder.encode(value);
      return Buffer.concat([int32(bytes.length), bytes]);
    });
    const results = await this.exchange(
      Buffer.concat([
        message('P', text(''), text(sql), int16(types.length), ...types.map(int32)),
        message('B', text(''), text(''), int16(0), int16(values.length), ...values, int16(0)),
        message('D', encoder.encode('P'), text('')),
        message('E', text(''), int32(0)),
        message('S'),
      ]),
    );
    const [result] = results;
    if (result === undefined) throw new Error(`no result of: ${sql}`);
    return result;
  }

  close(): void {
    this.socket?.write(message('X'));
    this.socket?.end();
  }

  private exchange(bytes: Uint8Array): Promise<readonly WireResult[]> {
    return new Promise((resolve, reject) => {
      this.reply = { results: [], resolve, reject, columns: [], rows: [] };
      const sent = this.socket?.write(bytes) ?? 0;
      if (sent < bytes.length) reject(new Error('the message is longer than the socket accepts'));
    });
  }

  private receive(bytes: Uint8Array): void {
    let buffer: Uint8Array =
      this.buffered.length === 0 ? bytes : Buffer.concat([this.buffered, bytes]);
    while (buffer.length >= 5) {
      const end = 1 + viewOf(buffer).getUint32(1);
      if (buffer.length < end) break;
      this.handle(String.fromCharCode(buffer[0] as number), buffer.subarray(5, end));
      buffer = buffer.subarray(end);
    }
    this.buffered = Uint8Array.from(buffer);
  }

  private handle(kind: string, body: Uint8Array): void {
    const { reply } = this;
    if (reply === undefined) return;
    switch (kind) {
      case 'T':
        reply.columns = columnsOf(body);
        break;
      case 'D':
        reply.rows.push(valuesOf(body));
        break;
      case 'C':
        this.finish(reply, { tag: decoder.decode(body.subarray(0, -1)) });
        break;
      case 'I':
        this.finish(reply, { tag: '' });
        break;
      case 'E':
        this.finish(reply, { tag: '', error: errorOf(body) });
        break;
      case 'Z':
        this.reply = undefined;
        reply.resolve(reply.results);
        break;
    }
  }

  private finish(reply: Reply, end: { tag: string; error?: WireError }): void {
    reply.results.push({ columns: reply.columns, rows: reply.rows, ...end });
    reply.columns = [];
    reply.rows = [];
  }
}

function message(kind: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(parts);
  return Buffer.concat([encoder.encode(kind), int32(body.length + 4), body]);
}

function text(value: string): Uint8Array {
  return encoder.encode(`${value}\0`);
}

function int32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Uint8Array {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function columnsOf(body: Uint8Array): WireColumn[] {
  const view = viewOf(body);
  let at = 2;
  return Array.from({ length: view.getUint16(0) }, () => {
    const end = body.indexOf(0, at);
    const name = decoder.decode(body.subarray(at, end));
    const oid = view.getUint32(end + 7);
    at = end + 19;
    return { name, oid };
  });
}

function valuesOf(body: Uint8Array): (string | null)[] {
  const view = viewOf(body);
  let at = 2;
  return Array.from({ length: view.getUint16(0) }, () => {
    const length = view.getInt32(at);
    at += 4;
    if (length < 0) return null;
    at += length;
    return decoder.decode(body.subarray(at - length, at));
  });
}

function errorOf(body: Uint8Array): WireError {
  const fields = new Map(
    decoder
      .decode(body)
      .split('\0')
      .map((field) => [field[0], field.slice(1)]),
  );
  return { sqlstate: fields.get('C') ?? '', message: fields.get('M') ?? '' };
}
