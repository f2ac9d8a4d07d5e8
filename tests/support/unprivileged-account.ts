/** The account that runs PostgreSQL when the tests run as root, which PostgreSQL refuses. */
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface SystemAccount {
  uid: number;
  gid: number;
}

/** Returns the account to run the server as, or undefined for the current one. */
export async function unprivilegedAccount(): Promise<SystemAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  // initdb wants an account that has a name, so a free number would not do.
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const named = (name: string) => lines.find(([login]) => login === name);
  const entry = named('postgres') ?? named('nobody') ?? lines.find(([, , uid]) => Number(uid) > 0);
  if (!entry) throw new Error('PostgreSQL cannot run as root, and /etc/passwd has no other account.');
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

/** Returns false if the file or a parent folder is closed to the account, as in a clone under `mktemp -d`. */
export async function isReachable(path: string, account: SystemAccount | undefined): Promise<boolean> {
  if (!account) return true;
  for (let current = path; ; current = dirname(current)) {
    const { mode, uid } = await stat(current);
    const bit = uid === account.uid ? 0o100 : 0o001;
    if ((mode & bit) === 0) return false;
    if (current === dirname(current)) return true;
  }
}
