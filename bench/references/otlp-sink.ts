/** A collector that takes what comes by OTLP over HTTP, and tells at `/spans` how many spans those were. */

interface Sent {
  readonly resourceSpans?: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly unknown[] }[];
  }[];
}

let spans = 0;

const sink = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    if (request.method === 'GET') return Response.json({ spans });
    const { resourceSpans = [] } = (await request.json()) as Sent;
    for (const { scopeSpans } of resourceSpans) {
      for (const scope of scopeSpans) spans += scope.spans.length;
    }
    return Response.json({});
  },
});
console.log(`listening on 127.0.0.1:${sink.port}`);
