/** What an import prints: what it will do, and what it has done. Without hashes, secrets and addresses. */
import type { ImportReport } from '../../domain/import-report.js';
import { printable, toTable } from '../format.js';
import { writeMap } from './column-map.js';
import type { FaultReport } from './fault-report.js';
import { writeHashForm } from './hash-form.js';
import type { Counts } from './mapped-users.js';
import type { OpenedSource } from './open-source.js';
import type { Source } from './source.js';

const number = (value: number) => value.toLocaleString('en-US');

/** Returns the map that was proposed, as arguments to copy. */
export function proposalText({ hashForm, map, proposal }: OpenedSource): string {
  const remarks = (proposal?.remarks ?? []).map((remark) => `  - ${remark}`);
  const form = hashForm === null ? '' : ` \\\n    --hash ${writeHashForm(hashForm)}`;
  return printableLines([
    'Proposed map. Copy it into the command to change it:',
    `    --map ${writeMap(map)}${form}`,
    ...(remarks.length > 0 ? ['Please check:', ...remarks] : []),
  ]);
}

/** Returns what people must know before anything else. Null if every address is verified. */
export function addressWarning(counts: Counts, trustsAll: boolean): string | null {
  const open = counts.addresses - counts.verified;
  if (open === 0) return null;
  const which = `${number(open)} of ${number(counts.addresses)} addresses are not marked as verified`;
  return trustsAll
    ? `WARNING: ${which}. With --trust-addresses they are. If the old system has let people sign up with the address of another, they keep that account.`
    : `WARNING: ${which}. The first code or link that is mailed to such an address removes the password of its account. If the sign-up of the old system has verified all of them, pass --trust-addresses.`;
}

/** Returns what people must know about phone numbers. Null if every one is verified. */
export function phoneWarning({ phones, verifiedPhones }: Counts, trustsAll: boolean): string | null {
  if (phones === verifiedPhones) return null;
  const which = `${number(phones - verifiedPhones)} of ${number(phones)} phone numbers are not marked as verified`;
  return trustsAll
    ? `WARNING: ${which}. With --trust-phones they are. If the old system has let people enter the number of another, that person signs in to their account.`
    : `WARNING: ${which}, and are not imported: a later import does not add them. If a column says which are verified, name it with --map phoneVerified=<column>. If the old system has sent a code to all of them, pass --trust-phones.`;
}

/** Returns what people must know if accounts with the ids of the records are those of others. Null if none is. */
export function differenceWarning({ reasons }: FaultReport): string | null {
  const count = reasons.get('account_differs') ?? 0;
  if (count === 0) return null;
  return `WARNING: ${number(count)} records have the ids of accounts with other addresses or user names, and are not imported. If they are users of another system than the accounts, pass --external-id-prefix. If users have changed their addresses, nothing is missing.`;
}

export function summaryText({
  source,
  opened,
  counts,
  report,
  faults,
  path,
}: {
  source: Source;
  opened: OpenedSource;
  counts: Counts;
  report: ImportReport;
  faults: FaultReport;
  path: string | undefined;
}): string {
  const rows = [
    ['Users', number(counts.users)],
    ['  with an address', number(counts.addresses)],
    ['  with a verified address', number(counts.verified)],
    ...(counts.phones > 0
      ? [
          ['  with a phone number', number(counts.phones)],
          ['  with a verified phone number', number(counts.verifiedPhones)],
        ]
      : []),
    ...listed('Password hashes', counts.hashes),
    ...listed('Identities', counts.identities),
    ...[...counts.others].map(([name, count]) => [capital(name), number(count)]),
    ...listed('Roles', counts.roles),
    ['To create', number(report.created)],
    ['To add to existing accounts', number(report.merged)],
    ...(report.renewed > 0 ? [['To bring a changed password', number(report.renewed)]] : []),
    ['Already imported', number(report.unchanged)],
    ['Left out because of conflicts', number(report.skipped)],
    ['Refused', number(report.refused + counts.unreadable)],
  ];
  const omitted = [...counts.omitted].map(([what, count]) => `  - ${number(count)} × ${what}`);
  return printableLines([
    `${source.title}: ${opened.place}`,
    toTable(rows),
    ...(omitted.length > 0 ? ['Not carried, although there:', ...omitted] : []),
    ...(source.notCarried ? ['Not carried:', ...source.notCarried.map((text) => `  - ${text}`)] : []),
    ...warningLines(report.warnings.filter((text) => !text.includes(trustOption))),
    ...faultLines(faults, path),
  ]);
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function listed(title: string, counts: ReadonlyMap<string, number>): string[][] {
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.length === 0
    ? []
    : [[title, ''], ...sorted.map(([name, count]) => [`  ${name}`, number(count)])];
}

/** How the warning of the import calls --trust-addresses. What it says is above the summary. */
const trustOption = "import with emailVerified: 'trust-all'";

const warningLines = (warnings: readonly string[]) =>
  warnings.length > 0 ? ['Warnings:', ...warnings.map((text) => `  - ${text}`)] : [];

function faultLines({ first, reasons, total }: FaultReport, path: string | undefined): string[] {
  if (total === 0) return [];
  const all = [...reasons].map(([reason, count]) => `${reason} ${number(count)}`).join(', ');
  const rest = total > first.length ? [`  and ${number(total - first.length)} more`] : [];
  const where =
    path === undefined
      ? ['Pass --report faults.csv or faults.jsonl for all of them.']
      : [`All are in ${path}.`];
  return [
    `Faults: ${all}`,
    ...first.map(
      ({ externalId, message, place, reason }) =>
        `  - ${place}${externalId === null ? '' : ` (${externalId})`}: ${reason}: ${message}`,
    ),
    ...rest,
    ...where,
  ];
}

export function resultText(
  report: ImportReport,
  unreadable: number,
  faults: FaultReport,
  path: string | undefined,
): string {
  const refused = report.refused + unreadable;
  const renewed = report.renewed > 0 ? `${number(report.renewed)} got a changed password; ` : '';
  return printableLines([
    `Imported ${number(report.created)} users. Added to ${number(report.merged)} accounts; ${renewed}${number(report.unchanged)} were there already; ${number(report.skipped)} left out because of conflicts; ${number(refused)} refused.`,
    ...warningLines(
      report.warnings.map((text) => text.replace(trustOption, 'run it with --trust-addresses')),
    ),
    ...faultLines(faults, path),
  ]);
}

/** Ids, roles and names of columns come from the old system. */
const printableLines = (lines: readonly string[]) =>
  lines
    .flatMap((line) => line.split('\n'))
    .map(printable)
    .join('\n');
