/** The catalogs that principals see. One object per catalog and visibility class, so that statements compiled for it are found again. */

import { type Principal, viewOf } from '#access';
import type { Catalog } from '#catalog';

/** Maximum number of visibility classes whose views of one catalog are retained. */
const classesMax = 64;

export class Views {
  private readonly views = new WeakMap<Catalog, Map<string, Catalog>>();

  of(catalog: Catalog, { visibility }: Principal): Catalog {
    let ofCatalog = this.views.get(catalog);
    if (ofCatalog === undefined) {
      ofCatalog = new Map();
      this.views.set(catalog, ofCatalog);
    }
    const found = ofCatalog.get(visibility.key);
    if (found !== undefined) return found;
    if (ofCatalog.size >= classesMax) ofCatalog.clear();
    const view = viewOf(catalog, visibility);
    ofCatalog.set(visibility.key, view);
    return view;
  }
}
