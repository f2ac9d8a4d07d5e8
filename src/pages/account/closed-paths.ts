/** Which pages and forms an impersonation may not use: they state their access, and the buttons that lead there ask for it. */
import type { Access } from '../../http/endpoint.js';
import type { Paths } from '../paths.js';
import type { AccountPage } from './page.js';

const inPerson: ReadonlySet<Access> = new Set(['no-impersonation', 'recent']);

/** @param pages those of the account. */
export function closedPaths(pages: readonly AccountPage[], { account }: Paths): (path: string) => boolean {
  const closed = pages
    .flatMap(({ access, forms = {}, path }) => [
      { access, path },
      ...Object.entries(forms).map(([name, form]) => ({ access: form.access, path: formPath(path, name) })),
    ])
    .filter(({ access }) => inPerson.has(access))
    .map(({ path }) => pattern(account + path));
  return (path) => closed.some((each) => each.test(path.replace(/\?.*/, '')));
}

function formPath(path: string, name: string): string {
  return name === '' ? path : `${path}/${name}`;
}

/** Of a path in Express syntax. */
function pattern(path: string): RegExp {
  const parts = path.split(/:\w+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}
