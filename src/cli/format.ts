/** The output of commands: aligned tables for people, JSON for programs. */
import type { UserRecord } from '../domain/user-record.js';

/** Characters that move the cursor, color or reorder text. Users choose some of the strings that an administrator sees. */
const control = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Returns JSON in which control characters are escaped, C1 and bidirectional ones included. */
export function toJson(value: unknown): string {
  // JSON escapes line breaks inside strings, so the others are its own.
  return JSON.stringify(value, null, 2).replace(control, (found) =>
    found === '\n' ? found : escaped(found),
  );
}

/** Returns a string on one line, with control characters escaped. */
export function printable(text: string): string {
  return text.replace(control, escaped);
}

function escaped(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return units.map((hex) => `\\u${hex}`).join('');
}

/** Returns rows in columns of equal width. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => widthOf(row[column] ?? ''))),
  );
  return cells
    .map((row) => row.map((cell, column) => cell + ' '.repeat(widths[column]! - widthOf(cell))).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Chinese, Japanese and Korean characters fill two columns of a terminal; combining marks fill none. */
function widthOf(text: string): number {
  const wide = text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu)?.length ?? 0;
  const marks = text.match(/\p{M}/gu)?.length ?? 0;
  return [...text].length + wide - marks;
}

export function formatTime(time: Date | null): string {
  return time === null ? '-' : time.toISOString().slice(0, 16).replace('T', ' ');
}

/** Returns the name by which messages call a user. */
export function nameOf({ email, username, id }: UserRecord): string {
  const name = email ?? username;
  return name === null ? id : `${printable(name)} (${id})`;
}

export function userTable(users: readonly UserRecord[]): string {
  const header = ['ID', 'ADDRESS', 'USER NAME', 'ROLES', 'STATUS', 'CREATED (UTC)', 'LAST SIGN-IN (UTC)'];
  return toTable([
    header,
    ...users.map((user) => [
      user.id,
      user.email ?? '-',
      user.username ?? '-',
      user.roles.join(',') || '-',
      statusOf(user),
      formatTime(user.createdAt),
      formatTime(user.lastSignInAt),
    ]),
  ]);
}

function statusOf({ blocked, isGuest, email, emailVerified }: UserRecord): string {
  if (blocked) return 'blocked';
  if (isGuest) return 'guest';
  return email !== null && !emailVerified ? 'unverified' : 'active';
}

export function userDetails(user: UserRecord): string {
  const yesOrNo = (value: boolean) => (value ? 'yes' : 'no');
  const { blocked } = user;
  return toTable([
    ['Id', user.id],
    ['Address', user.email ?? '-'],
    ['Verified', user.email === null ? '-' : yesOrNo(user.emailVerified)],
    ['User name', user.username ?? '-'],
    ['External id', user.externalId ?? '-'],
    ['Roles', user.roles.join(', ') || '-'],
    ['Password', yesOrNo(user.hasPassword)],
    ['Second factor', yesOrNo(user.twoFactor)],
    ['Guest', yesOrNo(user.isGuest)],
    ['Blocked', blocked ? `since ${formatTime(blocked.at)} UTC, ${endOf(blocked)}` : 'no'],
    ...(blocked?.reason ? [['Reason', blocked.reason]] : []),
    ['Created', `${formatTime(user.createdAt)} UTC`],
    ['Updated', `${formatTime(user.updatedAt)} UTC`],
    ['Last sign-in', user.lastSignInAt ? `${formatTime(user.lastSignInAt)} UTC` : '-'],
    ['Metadata', JSON.stringify(user.metadata)],
  ]);
}

/** Returns when a block ends, as the end of a sentence. */
export function endOf({ until }: { until: Date | null }): string {
  return until ? `until ${formatTime(until)} UTC` : 'until it is unblocked';
}
