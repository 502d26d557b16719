/** The two files of the package `libpg-query` that the executable contains. */

declare module 'libpg-query/wasm/libpg-query.wasm' {
  const path: string;
  export = path;
}

declare module 'libpg-query/wasm/libpg-query.js' {
  interface Options {
    instantiateWasm(
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance) => void,
    ): void;
    print(line: string): void;
    printErr(line: string): void;
  }

  /** An instance of the parser. Addresses are offsets in its memory. */
  interface ParserMemory {
    readonly HEAPU8: Uint8Array;
    _malloc(bytes: number): number;
    _free(address: number): void;
    _wasm_parse_query_raw(text: number): number;
    _wasm_free_parse_result(result: number): void;
    getValue(address: number, type: 'i32'): number;
  }

  const create: (options: Options) => Promise<ParserMemory>;
  export = create;
}
