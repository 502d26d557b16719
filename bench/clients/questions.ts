/** What is asked of the forum of the specimen, as applications build it; the programs in Go and Python ask the same. */

import { t } from '../../tests/codegen/specimen/db.ts';

export const adHocPoint = (id: number) => t.posts.get({ id });

/** Twenty posts with their authors, how many comments there are, and three of them with their authors. */
export const feed = () =>
  t.posts
    .orderBy((p) => [p.created_at.desc(), p.id.desc()])
    .limit(20)
    .select((p, r) => ({
      ...p,
      author: r.author.select((u) => ({ handle: u.handle })),
      count: r.comments.count(),
      comments: r.comments
        .orderBy((c) => c.body)
        .limit(3)
        .select((c, of) => ({ body: c.body, by: of.author.select((u) => ({ handle: u.handle })) })),
    }));

export const list = () => t.posts.orderBy((p) => p.id).limit(500);
