/** An instance of the WebAssembly parser: calls, and the memory that passes texts. */

import type { ParseResult } from 'libpg-query';
import wasmPath from 'libpg-query/wasm/libpg-query.wasm' with { type: 'file' };

/** The answer of the grammar to a text. */
export type GrammarResult =
  | { readonly kind: 'tree'; readonly tree: ParseResult }
  /** `character` counts from 1; 0 if the error has no position. */
  | { readonly kind: 'error'; readonly message: string; readonly character: number };

export interface ParserInstance {
  /** Parses a text. Throws anything if the instance is damaged, for example because its stack ended. */
  parse(text: string): GrammarResult;
  /** The size of its memory, which never shrinks. */
  bytes(): number;
}

let compiled: Promise<WebAssembly.Module> | undefined;

/** Creates an instance. The first call reads and compiles the module, which takes about 50 ms. */
export async function openInstance(): Promise<ParserInstance> {
  compiled ??= compileModule();
  const [{ default: create }, module] = await Promise.all([
    import('libpg-query/wasm/libpg-query.js'),
    compiled,
  ]);
  const memory = await create({
    instantiateWasm(imports, receive) {
      receive(new WebAssembly.Instance(module, imports));
    },
    print() {},
    printErr() {},
  });
  return { parse: (text) => parseIn(memory, text), bytes: () => memory.HEAPU8.length };
}

async function compileModule(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await Bun.file(wasmPath).arrayBuffer());
}

type ParserMemory = Awaited<ReturnType<typeof import('libpg-query/wasm/libpg-query.js')>>;

/** The members of the structure `PgQueryParseResult`, and of the error that it refers to. */
const resultLayout = { tree: 0, error: 8 };
const errorLayout = { message: 0, cursor: 16 };

function parseIn(memory: ParserMemory, text: string): GrammarResult {
  const source = Buffer.from(text);
  const address = memory._malloc(source.length + 1);
  memory.HEAPU8.set(source, address);
  memory.HEAPU8[address + source.length] = 0;
  const result = memory._wasm_parse_query_raw(address);
  const at = (offset: number) => memory.getValue(offset, 'i32');
  const error = at(result + resultLayout.error);
  const answer: GrammarResult =
    error === 0
      ? { kind: 'tree', tree: JSON.parse(textAt(memory, at(result + resultLayout.tree))) }
      : {
          kind: 'error',
          message: textAt(memory, at(error + errorLayout.message)),
          character: at(error + errorLayout.cursor),
        };
  memory._wasm_free_parse_result(result);
  memory._free(address);
  return answer;
}

function textAt(memory: ParserMemory, address: number): string {
  const bytes = memory.HEAPU8;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(
    'utf8',
    address,
    bytes.indexOf(0, address),
  );
}
