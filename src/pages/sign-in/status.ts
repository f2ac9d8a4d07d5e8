/** The tab that waits for a mailed link asks here whether the link has signed this browser in. */
import type { PageRoute } from '../../pages-kit/page-router.js';
import { setPageHeaders } from '../../pages-kit/page-headers.js';
import type { Settings } from '../options.js';
import { enter } from '../visit.js';
import { accountHolderOf } from './signed-in.js';

/** The path below that of the sign-in. */
export const statusPath = '/link/status';

/** 200 if the browser is signed in to an account, else 204. A guest may wait for the link of one. */
export function statusRoute(settings: Settings): PageRoute {
  return {
    method: 'GET',
    path: settings.paths.signIn + statusPath,
    async handle(req, res) {
      setPageHeaders(res);
      res.statusCode = (await accountHolderOf(enter(settings, req, res))) ? 200 : 204;
      res.end();
    },
  };
}
