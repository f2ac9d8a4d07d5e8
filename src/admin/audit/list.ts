/** The audit log, newest first, with its conditions. */
import { attemptsOf, longestCondition, type AuditActor, type AuditRecord } from '../../domain/audit.js';
import { isUuid } from '../../domain/uuid.js';
import type { Service } from '../../engine/service.js';
import { html, type Html } from '../../html/html.js';
import { internals } from '../../core/internals.js';
import { isServiceError } from '../../errors/service-error.js';
import { input, select } from '../../pages-kit/fields.js';
import { counted } from '../../pages-kit/numbers.js';
import { when } from '../dates.js';
import { truncatedNote } from '../csv.js';
import { defineAdminPage, type Call } from '../page.js';
import { listTable, none } from '../table.js';
import type { AdminTexts } from '../texts/texts.js';
import { daysBetween, zoneName } from '../time-zone.js';

export const auditPath = '/audit';

export const hasAudit = (service: Service): boolean => service[internals].actingRequests.isOn;

const names = ['userId', 'action', 'outcome', 'from', 'to'] as const;
export type Conditions = Partial<Record<(typeof names)[number], string>>;

export const auditList = defineAdminPage({
  path: auditPath,
  access: 'no-impersonation',
  action: 'audit.list',
  isOffered: hasAudit,
  async show(call) {
    const conditions = conditionsOf(call.query);
    const { records, nextCursor, fault } = await read(call, conditions);
    const title = call.texts.sections.audit;
    const csv = `${call.base}/audit.csv?${new URLSearchParams(conditions).toString()}`;
    const body = html`<div class="heading">
        <h1>${title}</h1>
        <div class="buttons">
          <a class="button" href="${csv}" download>${call.texts.overview.download}</a>
        </div>
      </div>
      ${filterForm(call, conditions, fault)}
      ${!fault && (records.length === 0 ? empty(call) : table(call, records))}
      ${pager(call, conditions, nextCursor)} ${truncatedNote(call, nextCursor)}`;
    return { title, section: 'audit', body, status: fault ? 422 : 200 };
  },
});

export function conditionsOf(query: URLSearchParams): Conditions {
  const given = names.map((name) => [name, query.get(name)?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** Reads records. An outcome that the form cannot send is ignored. @throws InvalidRequestError for a malformed cursor. */
export function readRecords(
  { service, zone }: Pick<Call, 'service' | 'zone'>,
  { userId, action, outcome, from, to }: Conditions,
  range: { cursor: string | null; limit: number },
): Promise<{ records: AuditRecord[]; nextCursor: string | null }> {
  const isOutcome = outcome === 'success' || outcome === 'failure';
  const { after, before } = daysBetween(zone, from, to);
  const known = { userId: userId ?? null, action: action ?? null, from: after, until: before };
  return service.audit.list({ ...known, outcome: isOutcome ? outcome : null, ...range });
}

interface Read {
  records: readonly AuditRecord[];
  nextCursor: string | null;
  fault?: { field: 'userId' | 'action'; text: string };
}

async function read(call: Call, conditions: Conditions): Promise<Read> {
  const { query, texts } = call;
  const { action, userId } = conditions;
  const nothing = { records: [], nextCursor: null };
  if (userId !== undefined && !isUuid(userId))
    return { ...nothing, fault: { field: 'userId', text: texts.errors.userId } };
  if (action !== undefined && action.length > longestCondition)
    return { ...nothing, fault: { field: 'action', text: texts.audit.actionTooLong } };
  try {
    return await readRecords(call, conditions, { cursor: query.get('cursor'), limit: 50 });
  } catch (error) {
    // A cursor that was changed by hand.
    if (!isServiceError(error) || error.code !== 'invalid_request') throw error;
    return nothing;
  }
}

const outcomes = ({ any, failure, success }: AdminTexts['audit']) =>
  [
    ['', any],
    ['success', success],
    ['failure', failure],
  ] as const;

function filterForm(
  { base, texts, zone }: Call,
  { userId, action, outcome, from, to }: Conditions,
  fault: Read['fault'],
): Html {
  const { audit: words, filters } = texts;
  const errorOf = (field: string) => (fault?.field === field ? fault.text : undefined);
  return html`<form method="get" action="${base}${auditPath}" role="search" class="filters">
    <details open>
      <summary>${filters.title}</summary>
      <div class="grid">
        ${input({ name: 'userId', label: words.userId, value: userId, error: errorOf('userId'), maxLength: 36 })}
        ${input({ name: 'action', label: words.action, value: action, error: errorOf('action'), placeholder: 'password.changed', maxLength: 64 })}
        ${select({ name: 'outcome', label: words.outcome, value: outcome, choices: outcomes(words) })}
        ${input({ name: 'from', type: 'date', label: html`${words.fromDay(zoneName(zone))}`, value: from })}
        ${input({ name: 'to', type: 'date', label: html`${words.toDay(zoneName(zone))}`, value: to })}
        <div class="buttons"><button>${filters.apply}</button></div>
      </div>
    </details>
  </form>`;
}

const empty = ({ texts: { audit } }: Call) =>
  html`<div class="empty">
    <h2>${audit.none}</h2>
    <p>${audit.noneLead}</p>
  </div>`;

function table(call: Call, records: readonly AuditRecord[]): Html {
  const { audit, sections } = call.texts;
  return listTable(
    sections.audit,
    [audit.action, audit.user, audit.by, audit.from, audit.time],
    records.map((record) => row(call, record)),
  );
}

function row(call: Call, record: AuditRecord): Html {
  const { action, actors, at, origin, outcome, reason, userId } = record;
  const { base, language, texts } = call;
  const attempts = attemptsOf(record);
  const words = texts.audit;
  const address = origin?.address;
  return html`<tr role="row">
    <td role="cell" class="who">
      <div>
        <div>
          <bdi>${action}</bdi>
          ${outcome === 'failure' && html`<bdi class="second">${words.refused(reason ?? words.unknown)}</bdi>`}
          ${attempts > 1 && html`<bdi class="second">${words.attempts(counted(language, attempts))}</bdi>`}
        </div>
      </div>
    </td>
    <td role="cell" data-label="${words.user}">
      ${
        userId === null
          ? html`<bdi>${address ?? none(call)}</bdi>`
          : html`<a href="${base}/users/${userId}"><bdi>${userId}</bdi></a>`
      }
    </td>
    <td role="cell" data-label="${words.by}">
      <bdi>${actors.map((actor) => actorText(words, actor)).join(words.then)}</bdi>
    </td>
    <td role="cell" data-label="${words.from}"><bdi>${origin?.ip ?? none(call)}</bdi></td>
    <td role="cell" data-label="${words.time}" class="date">${when(call, at)}</td>
  </tr>`;
}

const actorText = ({ actors }: AdminTexts['audit'], { id, type }: AuditActor) =>
  id === undefined ? actors[type] : `${actors[type]} ${id}`;

function pager({ base, query, texts }: Call, conditions: Conditions, next: string | null): Html | false {
  const isFirst = query.get('cursor') === null;
  if (isFirst && next === null) return false;
  const link = (label: string, cursor?: string) => {
    const parameters = new URLSearchParams({ ...conditions, ...(cursor !== undefined && { cursor }) });
    const search = parameters.size > 0 ? `?${parameters.toString()}` : '';
    return html`<a class="button" href="${base}${auditPath}${search}">${label}</a>`;
  };
  return html`<nav class="pager" aria-label="${texts.pager.label}">
    ${!isFirst && link(texts.pager.first)} ${next !== null && link(texts.pager.next, next)}
  </nav>`;
}
