/** The audit log, newest first, with its conditions. */
import type { AuditActor, AuditRecord } from '../../domain/audit.js';
import { isUuid } from '../../domain/uuid.js';
import type { Service } from '../../engine/service.js';
import { html, type Html } from '../../html/html.js';
import { internals } from '../../core/internals.js';
import { isServiceError } from '../../errors/service-error.js';
import { input, select } from '../../pages-kit/fields.js';
import { when } from '../dates.js';
import { defineAdminPage, type Call } from '../page.js';
import { listTable, none } from '../table.js';

export const auditPath = '/audit';

export const hasAudit = (service: Service): boolean => service[internals].actingRequests.isOn;

const names = ['userId', 'action', 'outcome'] as const;
type Conditions = Partial<Record<(typeof names)[number], string>>;

export const auditList = defineAdminPage({
  path: auditPath,
  access: 'no-impersonation',
  action: 'audit.list',
  isOffered: hasAudit,
  async show(call) {
    const conditions = conditionsOf(call.query);
    const { records, nextCursor, fault } = await read(call, conditions);
    const body = html`<div class="heading"><h1>Audit log</h1></div>
      ${filterForm(call, conditions, fault)} ${records.length === 0 ? empty : table(call, records)}
      ${pager(call, conditions, nextCursor)}`;
    return { title: 'Audit log', section: 'audit', body };
  },
});

function conditionsOf(query: URLSearchParams): Conditions {
  const given = names.map((name) => [name, query.get(name)?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

interface Read {
  records: readonly AuditRecord[];
  nextCursor: string | null;
  fault?: string;
}

async function read({ query, service }: Call, { userId, action, outcome }: Conditions): Promise<Read> {
  if (userId !== undefined && !isUuid(userId))
    return { records: [], nextCursor: null, fault: 'Enter the id of a user.' };
  const isOutcome = outcome === 'success' || outcome === 'failure';
  try {
    return await service.audit.list({
      ...{ userId: userId ?? null, action: action ?? null, outcome: isOutcome ? outcome : null },
      ...{ cursor: query.get('cursor'), limit: 50 },
    });
  } catch (error) {
    // A cursor that was changed by hand.
    if (!isServiceError(error) || error.code !== 'invalid_request') throw error;
    return { records: [], nextCursor: null };
  }
}

const outcomes = [
  ['', 'Any'],
  ['success', 'Done'],
  ['failure', 'Refused'],
] as const;

function filterForm(
  { base }: Call,
  { userId, action, outcome }: Conditions,
  fault: string | undefined,
): Html {
  return html`<form method="get" action="${base}${auditPath}" role="search" class="filters">
    <details open>
      <summary>Filters</summary>
      <div class="grid">
        ${input({ name: 'userId', label: 'User id', value: userId, error: fault, maxLength: 36 })}
        ${input({ name: 'action', label: 'Action', value: action, placeholder: 'password.changed', maxLength: 64 })}
        ${select({ name: 'outcome', label: 'Outcome', value: outcome, choices: outcomes })}
        <div class="buttons"><button>Apply filters</button></div>
      </div>
    </details>
  </form>`;
}

const empty = html`<div class="empty">
  <h2>No records</h2>
  <p>Changes and sign-ins appear here.</p>
</div>`;

const headings = ['Action', 'User', 'By', 'From', 'Time'];

const table = (call: Call, records: readonly AuditRecord[]) =>
  listTable(
    'Audit log',
    headings,
    records.map((record) => row(call, record)),
  );

function row({ base }: Call, { action, actors, at, origin, outcome, reason, userId }: AuditRecord): Html {
  const address = origin?.address;
  return html`<tr role="row">
    <td role="cell" class="who">
      <div>
        <div>
          <bdi>${action}</bdi>
          ${outcome === 'failure' && html`<bdi class="second">Refused: ${reason ?? 'unknown'}</bdi>`}
        </div>
      </div>
    </td>
    <td role="cell" data-label="User">
      ${
        userId === null
          ? html`<bdi>${address ?? none}</bdi>`
          : html`<a href="${base}/users/${userId}"><bdi>${userId}</bdi></a>`
      }
    </td>
    <td role="cell" data-label="By"><bdi>${actors.map(actorText).join(', then ')}</bdi></td>
    <td role="cell" data-label="From"><bdi>${origin?.ip ?? none}</bdi></td>
    <td role="cell" data-label="Time" class="date">${when(at)}</td>
  </tr>`;
}

const types: Readonly<Record<AuditActor['type'], string>> = {
  user: 'User',
  administrator: 'Administrator',
  agent: 'Agent',
  api_key: 'API key',
  system: 'System',
  command_line: 'Command line',
  anonymous: 'Not signed in',
};

const actorText = ({ id, type }: AuditActor) => (id === undefined ? types[type] : `${types[type]} ${id}`);

function pager({ base, query }: Call, conditions: Conditions, next: string | null): Html | false {
  const isFirst = query.get('cursor') === null;
  if (isFirst && next === null) return false;
  const link = (label: string, cursor?: string) => {
    const parameters = new URLSearchParams({ ...conditions, ...(cursor !== undefined && { cursor }) });
    const search = parameters.size > 0 ? `?${parameters.toString()}` : '';
    return html`<a class="button" href="${base}${auditPath}${search}">${label}</a>`;
  };
  return html`<nav class="pager" aria-label="Pages of the list">
    ${!isFirst && link('First page')} ${next !== null && link('Next page', next)}
  </nav>`;
}
