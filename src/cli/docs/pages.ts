/** The pages of `docs/`, as they were when the executable was built. */

import architecture from '../../../docs/architecture.md' with { type: 'text' };
import bucketProtocol from '../../../docs/bucket-protocol.md' with { type: 'text' };
import cli from '../../../docs/cli.md' with { type: 'text' };
import errors from '../../../docs/errors.md' with { type: 'text' };
import http from '../../../docs/http.md' with { type: 'text' };
import lir from '../../../docs/lir.md' with { type: 'text' };
import migrations from '../../../docs/migrations.md' with { type: 'text' };
import operations from '../../../docs/operations.md' with { type: 'text' };
import performance from '../../../docs/performance.md' with { type: 'text' };
import pir from '../../../docs/pir.md' with { type: 'text' };
import production from '../../../docs/production.md' with { type: 'text' };
import projects from '../../../docs/projects.md' with { type: 'text' };
import schema from '../../../docs/schema.md' with { type: 'text' };
import storageFormat from '../../../docs/storage-format.md' with { type: 'text' };
import testing from '../../../docs/testing.md' with { type: 'text' };

export interface Page {
  readonly topic: string;
  readonly title: string;
  readonly text: string;
}

/** In the order in which a user meets them. */
export const pages: readonly Page[] = Object.entries({
  production,
  schema,
  projects,
  migrations,
  lir,
  pir,
  http,
  errors,
  operations,
  cli,
  performance,
  architecture,
  testing,
  'storage-format': storageFormat,
  'bucket-protocol': bucketProtocol,
}).map(([topic, text]) => ({ topic, title: /^# (.*)$/m.exec(text)?.[1] ?? topic, text }));
