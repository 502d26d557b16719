/** `svc init --template api`. */

import { seedId, type Template } from './template.ts';

const [acme, solo] = [seedId('01'), seedId('02')];
const [ada, bob] = [seedId('11'), seedId('12')];
const [site, app] = [seedId('21'), seedId('22')];

export const api: Template = {
  name: 'api',
  about: 'organizations with members, keys, projects and tasks',
  schema: `tables:
  - id: 1
    name: organizations
    columns:
      - { id: 1, name: id, type: bytes, format: uuid, pk: true, default: uuid_v7() }
      - { id: 2, name: slug, type: text, unique: true }
      - { id: 3, name: name, type: text }
      - { id: 4, name: created_at, type: int64, format: unix_ms, default: now_ms() }
  - id: 2
    name: members
    columns:
      - { id: 1, name: id, type: bytes, format: uuid, pk: true, default: uuid_v7() }
      - { id: 2, name: organization_id, type: bytes, format: uuid }
      - { id: 3, name: email, type: text }
      - { id: 4, name: role, type: text, default: member }
    indexes:
      - { columns: [organization_id, email], unique: true }
    foreign_keys:
      - { name: members_organization_id_fk, columns: [organization_id], ref_table: organizations, ref_columns: [id], on_delete: cascade }
  # Only hashes of the keys: whoever reads the table cannot use them.
  - id: 3
    name: api_keys
    columns:
      - { id: 1, name: key_hash, type: bytes, pk: true }
      - { id: 2, name: organization_id, type: bytes, format: uuid, index: true }
      - { id: 3, name: label, type: text }
      - { id: 4, name: created_at, type: int64, format: unix_ms, default: now_ms() }
      - { id: 5, name: revoked_at, type: int64, format: unix_ms, nullable: true }
    foreign_keys:
      - { name: api_keys_organization_id_fk, columns: [organization_id], ref_table: organizations, ref_columns: [id], on_delete: cascade }
  - id: 4
    name: projects
    columns:
      - { id: 1, name: id, type: bytes, format: uuid, pk: true, default: uuid_v7() }
      - { id: 2, name: organization_id, type: bytes, format: uuid }
      - { id: 3, name: name, type: text }
    indexes:
      - { columns: [organization_id, name], unique: true }
    foreign_keys:
      - { name: projects_organization_id_fk, columns: [organization_id], ref_table: organizations, ref_columns: [id], on_delete: cascade }
  - id: 5
    name: tasks
    columns:
      - { id: 1, name: id, type: bytes, format: uuid, pk: true, default: uuid_v7() }
      - { id: 2, name: project_id, type: bytes, format: uuid }
      # A member who goes leaves the task to somebody else.
      - { id: 3, name: assignee_id, type: bytes, format: uuid, nullable: true, index: true }
      - { id: 4, name: title, type: text }
      - { id: 5, name: status, type: text, default: open }
      - { id: 6, name: due_at, type: int64, format: unix_ms, nullable: true }
      # Raised by each update: whoever read an older one is told so.
      - { id: 7, name: version, type: int64, default: 1 }
    indexes:
      - { columns: [project_id, status] }
    foreign_keys:
      - { name: tasks_project_id_fk, columns: [project_id], ref_table: projects, ref_columns: [id], on_delete: cascade }
      - { name: tasks_assignee_id_fk, columns: [assignee_id], ref_table: members, ref_columns: [id], on_delete: set_null }
`,
  seed: {
    organizations: [
      { id: acme, slug: 'acme', name: 'Acme' },
      { id: solo, slug: 'solo', name: 'Solo' },
    ],
    members: [
      { id: ada, organization_id: acme, email: 'ada@example.org', role: 'owner' },
      { id: bob, organization_id: acme, email: 'bob@example.org' },
    ],
    projects: [
      { id: site, organization_id: acme, name: 'Site' },
      { id: app, organization_id: solo, name: 'App' },
    ],
    tasks: [
      { project_id: site, assignee_id: ada, title: 'Draw a plan', status: 'done' },
      { project_id: site, assignee_id: bob, title: 'Write it down', due_at: '2026-12-01' },
      { project_id: app, title: 'Begin' },
    ],
  },
};
