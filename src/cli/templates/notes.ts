/** `svc init --template notes`. */

import { seedId, type Template } from './template.ts';

const [ada, bob] = [seedId('01'), seedId('02')];
const [work, home] = [seedId('11'), seedId('12')];
const [plan, list] = [seedId('21'), seedId('22')];

export const notes: Template = {
  name: 'notes',
  about: 'notebooks with notes and tags',
  schema: `tables:
  - id: 1
    name: users
    columns:
      - { id: 1, name: id, type: bytes, format: uuid, pk: true, default: uuid_v7() }
      - { id: 2, name: handle, type: text, unique: true }
      - { id: 3, name: joined_at, type: int64, format: unix_ms, default: now_ms() }
  - id: 2
    name: notebooks
    columns:
      - { id: 1, name: id, type: bytes, format: uuid, pk: true, default: uuid_v7() }
      - { id: 2, name: owner_id, type: bytes, format: uuid }
      - { id: 3, name: title, type: text }
    indexes:
      - { columns: [owner_id, title], unique: true }
    foreign_keys:
      - { name: notebooks_owner_id_fk, columns: [owner_id], ref_table: users, ref_columns: [id], on_delete: cascade }
  - id: 3
    name: notes
    columns:
      - { id: 1, name: id, type: bytes, format: uuid, pk: true, default: uuid_v7() }
      - { id: 2, name: notebook_id, type: bytes, format: uuid }
      - { id: 3, name: title, type: text }
      - { id: 4, name: body, type: text, default: "" }
      - { id: 5, name: pinned, type: bool, default: false }
      - { id: 6, name: updated_at, type: int64, format: unix_ms, default: now_ms() }
    indexes:
      - { columns: [notebook_id, updated_at] }
    foreign_keys:
      - { name: notes_notebook_id_fk, columns: [notebook_id], ref_table: notebooks, ref_columns: [id], on_delete: cascade }
  - id: 4
    name: tags
    columns:
      - { id: 1, name: id, type: int64, pk: true, default: increment() }
      - { id: 2, name: name, type: text, unique: true }
  # A note has any number of tags, and a tag any number of notes.
  - id: 5
    name: note_tags
    columns:
      - { id: 1, name: note_id, type: bytes, format: uuid, pk: true }
      - { id: 2, name: tag_id, type: int64, pk: true, index: true }
    foreign_keys:
      - { name: note_tags_note_id_fk, columns: [note_id], ref_table: notes, ref_columns: [id], on_delete: cascade }
      - { name: note_tags_tag_id_fk, columns: [tag_id], ref_table: tags, ref_columns: [id], on_delete: cascade }
`,
  seed: {
    users: [
      { id: ada, handle: 'ada' },
      { id: bob, handle: 'bob' },
    ],
    notebooks: [
      { id: work, owner_id: ada, title: 'Work' },
      { id: home, owner_id: ada, title: 'Home' },
      { owner_id: bob, title: 'Work' },
    ],
    notes: [
      { id: plan, notebook_id: work, title: 'Plan', body: 'First the schema.', pinned: true },
      { id: list, notebook_id: home, title: 'Groceries', body: 'Tea, bread' },
    ],
    tags: [
      { id: 1, name: 'urgent' },
      { id: 2, name: 'idea' },
    ],
    note_tags: [
      { note_id: plan, tag_id: 1 },
      { note_id: plan, tag_id: 2 },
      { note_id: list, tag_id: 1 },
    ],
  },
};
