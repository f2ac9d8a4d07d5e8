/** The records of the audit log as CSV, with the filters of the page. */
import type { AuditActor, AuditRecord } from '../../domain/audit.js';
import { csvOf } from '../csv.js';
import { defineAdminPage } from '../page.js';
import { conditionsOf, hasAudit, readRecords } from './list.js';

const heading = [
  ...['id', 'at', 'action', 'outcome', 'reason', 'user_id', 'org_id', 'client_id', 'actors', 'request_id'],
  ...['ip', 'user_agent', 'address', 'note', 'details'],
];

export const auditCsvPath = '/audit.csv';

export const auditCsv = defineAdminPage({
  path: auditCsvPath,
  access: 'no-impersonation',
  action: 'audit.list',
  isOffered: hasAudit,
  async show(call) {
    const conditions = conditionsOf(call.query);
    const content = await csvOf(heading, async (range) => {
      const { records, nextCursor } = await readRecords(call, conditions, range);
      return { rows: records.map(cellsOf), nextCursor };
    });
    return { file: { name: 'audit.csv', type: 'text/csv; charset=utf-8', content } };
  },
});

function cellsOf(record: AuditRecord): string[] {
  const { action, actors, at, clientId, details, id, orgId, origin, outcome, reason, requestId, userId } =
    record;
  return [
    ...[id, at.toISOString(), action, outcome, reason ?? '', userId ?? '', orgId ?? '', clientId ?? ''],
    ...[actors.map(actorText).join(' > '), requestId ?? ''],
    ...[origin?.ip ?? '', origin?.userAgent ?? '', origin?.address ?? '', origin?.note ?? ''],
    JSON.stringify(details),
  ];
}

const actorText = ({ id, type }: AuditActor) => (id === undefined ? type : `${type} ${id}`);
