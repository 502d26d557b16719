/**
 * The connections of this process, as the operating system reports them. The listener reports a connection only with its
 * first request, and cannot close a connection without a request. Supports only Linux and its C libraries.
 */

import { ptr as addressOf, dlopen, FFIType } from 'bun:ffi';
import { readdirSync, statSync } from 'node:fs';
import { peerAddress, plainAddress } from './peer-address.ts';
import { RecentDescriptors } from './recent-descriptors.ts';

export interface SocketTable {
  /** Returns the number of open descriptors of any kind. The call is cheap. */
  descriptors(): number;
  /** Calls `visit` with the descriptor and the client port of each connection to `port`. */
  each(port: number, visit: (descriptor: number, clientPort: number) => void): void;
  /** Closes a connection. The listener observes the close. */
  end(descriptor: number): void;
  /** Sends 100 Continue on the connection of `client` to `port`. The caller must ensure that the client waits for a response. */
  sendContinue(port: number, client: Peer): void;
  /**
   * Limits the unread bytes of connections that are accepted from now on by the listener on `port`. A connection buffers
   * about this many bytes, at most twice as many. Then its client waits.
   */
  boundUnread(port: number, bytes: number): void;
  /**
   * Directs new connections to the second of two listeners on `port`. Without this call, both of them accept
   * connections, and the system resets those that the first one has not accepted when it closes.
   */
  directToSecond(port: number): void;
}

/** The other end of a connection, as the listener reports it. */
export interface Peer {
  readonly address: string;
  readonly port: number;
}

const continueBytes = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n');
/** MSG_DONTWAIT and MSG_NOSIGNAL. */
const sendFlags = 0x40 | 0x4000;
const place = '/proc/self/fd';
const { i32, ptr, u64 } = FFIType;
const addressBytes = 128;
/** AF_INET and AF_INET6. */
const internet = new Set([2, 10]);
const getFlags = 1;
const socketLevel = 1;
const receiveBuffer = 8;
/** SO_ATTACH_REUSEPORT_CBPF, and the instruction BPF_RET of a constant. */
const selectListener = 51;
const returnConstant = 0x06;
/** The system assigns the lowest free number. After this many free numbers in a row, no further descriptor is open. */
const gapMost = 1024;

/** Returns `undefined` on systems other than Linux, and if the C library cannot be loaded. */
export function openSocketTable(): SocketTable | undefined {
  if (process.platform !== 'linux') return undefined;
  const library = loadLibrary();
  if (library === undefined) return undefined;
  const { fcntl, getpeername, getsockname, send, setsockopt, shutdown } = library;
  const address = new Uint8Array(addressBytes);
  const length = new Uint32Array(1);
  const portBy = (call: typeof getpeername, descriptor: number): number | undefined => {
    length[0] = addressBytes;
    if (call(descriptor, address, length) !== 0) return undefined;
    // Sockets of other families, such as those of child processes, leave the previous content in the rest of the buffer.
    if (!internet.has(address[0] as number)) return undefined;
    // In both families, the second pair of bytes is the port.
    return ((address[2] as number) << 8) | (address[3] as number);
  };
  const isOf = (descriptor: number, port: number, client: Peer): boolean => {
    if (portBy(getsockname, descriptor) !== port) return false;
    if (portBy(getpeername, descriptor) !== client.port) return false;
    return peerAddress(address) === plainAddress(client.address);
  };
  const recent = new RecentDescriptors();
  /** Calls `visit` for each socket on `port`. `clientPort` is `undefined` for the listener itself. */
  const eachOf = (
    port: number,
    visit: (descriptor: number, clientPort: number | undefined) => void,
  ) => {
    // Listing the directory would need a descriptor, and none may be free.
    for (let descriptor = 0, gap = 0; gap < gapMost; descriptor++) {
      gap = fcntl(descriptor, getFlags) < 0 ? gap + 1 : 0;
      if (gap > 0 || portBy(getsockname, descriptor) !== port) continue;
      visit(descriptor, portBy(getpeername, descriptor));
    }
  };
  return {
    descriptors,
    each: (port, visit) =>
      eachOf(port, (descriptor, clientPort) => {
        if (clientPort !== undefined) visit(descriptor, clientPort);
      }),
    end: (descriptor) => void shutdown(descriptor, 2),
    sendContinue(port, client) {
      const found = recent.find(client.port, (descriptor) => isOf(descriptor, port, client));
      if (found !== undefined) {
        send(found, continueBytes, continueBytes.length, sendFlags);
        return;
      }
      eachOf(port, (descriptor, clientPort) => {
        if (clientPort !== client.port || !isOf(descriptor, port, client)) return;
        recent.add(client.port, descriptor);
        send(descriptor, continueBytes, continueBytes.length, sendFlags);
      });
    },
    boundUnread: (port, bytes) =>
      eachOf(port, (descriptor, clientPort) => {
        if (clientPort !== undefined) return;
        setsockopt(descriptor, socketLevel, receiveBuffer, new Int32Array([bytes]), 4);
      }),
    directToSecond(port) {
      const { program, instruction } = selectionOf(1);
      eachOf(port, (descriptor, clientPort) => {
        if (clientPort === undefined)
          setsockopt(descriptor, socketLevel, selectListener, program, program.length);
      });
      // The system copies the program during the call.
      instruction.fill(0);
    },
  };
}

/**
 * Returns the filter program that selects a listener by its index in the order of their opening (SO_ATTACH_REUSEPORT_CBPF).
 * If the index does not exist, the system selects by itself. The memory of `instruction` must live until the program
 * was passed on.
 */
function selectionOf(index: number) {
  const instruction = new Uint8Array(8);
  const code = new DataView(instruction.buffer);
  code.setUint16(0, returnConstant, true);
  code.setUint32(4, index, true);
  const program = new Uint8Array(16);
  const header = new DataView(program.buffer);
  header.setUint16(0, 1, true);
  header.setBigUint64(8, BigInt(addressOf(instruction)), true);
  return { program, instruction };
}

/**
 * Returns the number of open descriptors. Newer kernels report it as the size of the directory. On older kernels the
 * directory is listed, for which no descriptor may be free.
 */
function descriptors(): number {
  try {
    const { size } = statSync(place);
    return size > 0 ? size : readdirSync(place).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function loadLibrary() {
  const name = { args: [i32, ptr, ptr], returns: i32 } as const;
  for (const path of [
    'libc.so.6',
    `libc.musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`,
  ]) {
    try {
      return dlopen(path, {
        getpeername: name,
        getsockname: name,
        fcntl: { args: [i32, i32], returns: i32 },
        send: { args: [i32, ptr, u64, i32], returns: i32 },
        setsockopt: { args: [i32, i32, i32, ptr, i32], returns: i32 },
        shutdown: { args: [i32, i32], returns: i32 },
      }).symbols;
    } catch {
      // Try the next path.
    }
  }
  return undefined;
}
