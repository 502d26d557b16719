/** The pages of `docs/`, as they were when the executable was built. */

import agents from '../../../docs/agents.md' with { type: 'text' };
import architecture from '../../../docs/architecture.md' with { type: 'text' };
import bucketProtocol from '../../../docs/bucket-protocol.md' with { type: 'text' };
import cli from '../../../docs/cli.md' with { type: 'text' };
import clientsComingFrom from '../../../docs/clients/coming-from.md' with { type: 'text' };
import clientsGo from '../../../docs/clients/go.md' with { type: 'text' };
import clientsPython from '../../../docs/clients/python.md' with { type: 'text' };
import clientsTypescript from '../../../docs/clients/typescript.md' with { type: 'text' };
import clientsTypescriptQueries from '../../../docs/clients/typescript-queries.md' with {
  type: 'text',
};
import clientsWireText from '../../../docs/clients/wire-text.md' with { type: 'text' };
import clients from '../../../docs/clients.md' with { type: 'text' };
import decision1 from '../../../docs/decisions/0001-polling-operators.md' with { type: 'text' };
import decision2 from '../../../docs/decisions/0002-pir-above-catalog.md' with { type: 'text' };
import decision3 from '../../../docs/decisions/0003-s3-over-fetch.md' with { type: 'text' };
import decision4 from '../../../docs/decisions/0004-merges-on-another-thread.md' with {
  type: 'text',
};
import decision5 from '../../../docs/decisions/0005-a-schema-file-is-a-catalog.md' with {
  type: 'text',
};
import decision6 from '../../../docs/decisions/0006-known-schemas-instead-of-a-lock-file.md' with {
  type: 'text',
};
import decision7 from '../../../docs/decisions/0007-what-a-500-says.md' with { type: 'text' };
import decision8 from '../../../docs/decisions/0008-how-far-the-heap-grows.md' with {
  type: 'text',
};
import decision9 from '../../../docs/decisions/0009-rows-as-columns-in-blocks.md' with {
  type: 'text',
};
import decision10 from '../../../docs/decisions/0010-the-store-counts-for-the-planner.md' with {
  type: 'text',
};
import decision11 from '../../../docs/decisions/0011-surveys-of-tables.md' with { type: 'text' };
import decision12 from '../../../docs/decisions/0012-plans-learn-once.md' with { type: 'text' };
import decision13 from '../../../docs/decisions/0013-what-memory-does-not-hold-goes-to-the-disk.md' with {
  type: 'text',
};
import decision14 from '../../../docs/decisions/0014-sides-in-the-order-of-their-keys-are-merged.md' with {
  type: 'text',
};
import decision15 from '../../../docs/decisions/0015-sorted-rows-pass-through-the-memtable.md' with {
  type: 'text',
};
import decision16 from '../../../docs/decisions/0016-runs-of-an-index-build-go-below-the-writes.md' with {
  type: 'text',
};
import decision17 from '../../../docs/decisions/0017-generated-clients-carry-their-runtime.md' with {
  type: 'text',
};
import decision18 from '../../../docs/decisions/0018-a-database-that-goes-is-not-remembered.md' with {
  type: 'text',
};
import decision19 from '../../../docs/decisions/0019-python-client.md' with { type: 'text' };
import decision20 from '../../../docs/decisions/0020-what-surveys-find-is-kept.md' with {
  type: 'text',
};
import decision21 from '../../../docs/decisions/0021-what-the-typescript-runtime-weighs.md' with {
  type: 'text',
};
import decision22 from '../../../docs/decisions/0022-how-long-go-clients-compile.md' with {
  type: 'text',
};
import decision23 from '../../../docs/decisions/0023-callbacks-see-their-variables-as-they-were.md' with {
  type: 'text',
};
import decision24 from '../../../docs/decisions/0024-plans-count-waits-for-a-bucket.md' with {
  type: 'text',
};
import decision25 from '../../../docs/decisions/0025-models-of-executions-are-kept.md' with {
  type: 'text',
};
import decision26 from '../../../docs/decisions/0026-one-door-into-the-engine.md' with {
  type: 'text',
};
import dev from '../../../docs/dev.md' with { type: 'text' };
import errors from '../../../docs/errors.md' with { type: 'text' };
import explain from '../../../docs/explain.md' with { type: 'text' };
import http from '../../../docs/http.md' with { type: 'text' };
import lir from '../../../docs/lir.md' with { type: 'text' };
import metrics from '../../../docs/metrics.md' with { type: 'text' };
import migrations from '../../../docs/migrations.md' with { type: 'text' };
import operations from '../../../docs/operations.md' with { type: 'text' };
import performance from '../../../docs/performance.md' with { type: 'text' };
import pir from '../../../docs/pir.md' with { type: 'text' };
import production from '../../../docs/production.md' with { type: 'text' };
import projects from '../../../docs/projects.md' with { type: 'text' };
import index from '../../../docs/README.md' with { type: 'text' };
import schema from '../../../docs/schema.md' with { type: 'text' };
import seeds from '../../../docs/seeds.md' with { type: 'text' };
import statistics from '../../../docs/statistics.md' with { type: 'text' };
import storageFormat from '../../../docs/storage-format.md' with { type: 'text' };
import testing from '../../../docs/testing.md' with { type: 'text' };
import overview from '../../../README.md' with { type: 'text' };
import lirSchema from '../../../schemas/lir.schema.json' with { type: 'text' };
import openApi from '../../../schemas/openapi.json' with { type: 'text' };
import pirSchema from '../../../schemas/pir.schema.json' with { type: 'text' };
import fileSchema from '../../../schemas/svc.schema.json' with { type: 'text' };

export interface Page {
  readonly topic: string;
  readonly title: string;
  readonly text: string;
}

/** For those who write the page, each a paragraph of its own. */
const comments = /^<!--.*?-->\n+/gms;

/** In the order in which a user meets them. */
export const pages: readonly Page[] = Object.entries({
  production,
  dev,
  schema,
  projects,
  seeds,
  clients,
  migrations,
  lir,
  pir,
  explain,
  http,
  errors,
  operations,
  metrics,
  statistics,
  cli,
  agents,
  performance,
  architecture,
  testing,
  'storage-format': storageFormat,
  'bucket-protocol': bucketProtocol,
}).map(([topic, text]) => pageOf(topic, text));

/** What pages refer to, by the path that they name: printed, and not listed among the topics. */
export const linkedPages: readonly Page[] = Object.entries({
  README: overview,
  index,
  'clients/coming-from': clientsComingFrom,
  'clients/go': clientsGo,
  'clients/python': clientsPython,
  'clients/typescript': clientsTypescript,
  'clients/typescript-queries': clientsTypescriptQueries,
  'clients/wire-text': clientsWireText,
  'decisions/0001-polling-operators': decision1,
  'decisions/0002-pir-above-catalog': decision2,
  'decisions/0003-s3-over-fetch': decision3,
  'decisions/0004-merges-on-another-thread': decision4,
  'decisions/0005-a-schema-file-is-a-catalog': decision5,
  'decisions/0006-known-schemas-instead-of-a-lock-file': decision6,
  'decisions/0007-what-a-500-says': decision7,
  'decisions/0008-how-far-the-heap-grows': decision8,
  'decisions/0009-rows-as-columns-in-blocks': decision9,
  'decisions/0010-the-store-counts-for-the-planner': decision10,
  'decisions/0011-surveys-of-tables': decision11,
  'decisions/0012-plans-learn-once': decision12,
  'decisions/0013-what-memory-does-not-hold-goes-to-the-disk': decision13,
  'decisions/0014-sides-in-the-order-of-their-keys-are-merged': decision14,
  'decisions/0015-sorted-rows-pass-through-the-memtable': decision15,
  'decisions/0016-runs-of-an-index-build-go-below-the-writes': decision16,
  'decisions/0017-generated-clients-carry-their-runtime': decision17,
  'decisions/0018-a-database-that-goes-is-not-remembered': decision18,
  'decisions/0019-python-client': decision19,
  'decisions/0020-what-surveys-find-is-kept': decision20,
  'decisions/0021-what-the-typescript-runtime-weighs': decision21,
  'decisions/0022-how-long-go-clients-compile': decision22,
  'decisions/0023-callbacks-see-their-variables-as-they-were': decision23,
  'decisions/0024-plans-count-waits-for-a-bucket': decision24,
  'decisions/0025-models-of-executions-are-kept': decision25,
  'decisions/0026-one-door-into-the-engine': decision26,
  'schemas/lir.schema.json': lirSchema,
  'schemas/pir.schema.json': pirSchema,
  'schemas/openapi.json': openApi,
  'schemas/svc.schema.json': fileSchema,
}).map(([topic, text]) => pageOf(topic, text as string));

function pageOf(topic: string, text: string): Page {
  return { topic, title: /^# (.*)$/m.exec(text)?.[1] ?? topic, text: text.replace(comments, '') };
}
