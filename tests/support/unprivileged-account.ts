/** Who runs PostgreSQL where the tests run as root: it refuses to. */
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface Account {
  uid: number;
  gid: number;
}

/** The account to run the server as; undefined = the one we have. */
export async function unprivilegedAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  // initdb wants an account that has a name, so a free number would not do.
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const named = (name: string) => lines.find(([login]) => login === name);
  const entry = named('postgres') ?? named('nobody') ?? lines.find(([, , uid]) => Number(uid) > 0);
  if (!entry) throw new Error('PostgreSQL cannot run as root, and /etc/passwd has no other account.');
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

/** False where a folder on the way, or the file itself, is closed to that account (a clone under `mktemp -d`). */
export async function isReachable(path: string, account: Account | undefined): Promise<boolean> {
  if (!account) return true;
  for (let current = path; ; current = dirname(current)) {
    const { mode, uid } = await stat(current);
    const bit = uid === account.uid ? 0o100 : 0o001;
    if ((mode & bit) === 0) return false;
    if (current === dirname(current)) return true;
  }
}
