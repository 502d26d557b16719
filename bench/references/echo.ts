/** The physical limit of a request: a bare `Bun.serve` that parses JSON and answers JSON of the size of a real answer. */

const answer = { result: [{ id: 1, name: 'x'.repeat(20), email: 'y'.repeat(30), age: 41 }] };

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    const body = (await request.json()) as { statements?: readonly { name: string }[] };
    const name = body.statements?.[0]?.name ?? '';
    return Response.json({ ...answer, statements: [{ name, affected: 1, control: null }] });
  },
});
console.log(`listening on 127.0.0.1:${server.port}`);
