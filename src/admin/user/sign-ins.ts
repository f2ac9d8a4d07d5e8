/** The sign-ins of a user, from the audit log: how, whether they succeeded, and from where. */
import { attemptsOf, type AuditRecord } from '../../domain/audit.js';
import { html, type Html } from '../../html/html.js';
import { internals } from '../../core/internals.js';
import { placesByAddress } from '../../core/support/locations.js';
import { counted } from '../../pages-kit/numbers.js';
import { auditPath } from '../audit/list.js';
import { when } from '../dates.js';
import { deviceName } from '../device-name.js';
import type { Call } from '../page.js';
import { card, entry } from './card.js';
import { rowsPerList } from './records.js';

/** A bearer session begins with a refresh token, an app too. */
const actions = ['session.created', 'refresh.issued', 'sign_in.failed', 'session.impersonated'] as const;

interface PlacedRecord extends AuditRecord {
  place: string | null;
}

/** Returns the section, or null without the option `audit` and for administrators who may not read the log. */
export async function signIns(call: Call): Promise<Html | null> {
  const { base, showsAudit, texts, userId } = call;
  if (!showsAudit) return null;
  const words = texts.operations.signIns;
  const records = await latest(call);
  const list =
    records.length === 0
      ? html`<p class="none">${words.none}</p>`
      : html`<ul class="entries">
          ${records.map((record) => row(call, record))}
        </ul>`;
  const link = html`<a class="quiet" href="${base}${auditPath}?userId=${userId}">${words.all}</a>`;
  return card('sign-ins', words.title, list, link);
}

/** A page of each action, because a condition of the log takes one action; then the newest of them. */
async function latest({ service, userId }: Call): Promise<PlacedRecord[]> {
  const pages = await Promise.all(
    actions.map((action) => service.audit.list({ userId, action, limit: rowsPerList })),
  );
  const records = pages
    .flatMap((page) => page.records)
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, rowsPerList);
  const addresses = records.map(({ origin }) => origin?.ip);
  const places = await placesByAddress(service[internals].locate, addresses);
  return records.map((record) => ({ ...record, place: places.get(record.origin?.ip) ?? null }));
}

function row(call: Call, record: PlacedRecord): Html {
  const { language, texts } = call;
  const { action, at, details, origin, outcome, place, reason } = record;
  const attempts = attemptsOf(record);
  const words = texts.operations.signIns;
  const method = typeof details['method'] === 'string' ? details['method'] : null;
  const title =
    outcome === 'failure'
      ? words.failed(html`<bdi>${reason ?? texts.audit.unknown}</bdi>`)
      : action === 'session.impersonated'
        ? words.impersonated
        : words.signedIn;
  const device = origin?.userAgent === undefined ? null : deviceName(texts, { userAgent: origin.userAgent });
  return entry(
    html`${title} ${method !== null && html`<span class="tag">${method}</span>`}
    ${attempts > 1 && html`<span class="tag">${texts.audit.attempts(counted(language, attempts))}</span>`}`,
    html`${when(call, at)}
    ${[device, place, origin?.ip ?? null].map((part) => part !== null && html` · <bdi>${part}</bdi>`)}`,
  );
}
