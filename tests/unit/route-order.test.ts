// A request to the exact path of a route does not pass the routes before it (`withShortcuts` in src/http/mount.ts).
import express from 'express';
import { adminRoutes } from '../../src/http/admin-router.js';
import { proRoutes } from '../../src/http/pro-router.js';
import { freeRoutes } from '../../src/http/router.js';

describe.each(Object.entries({ freeRoutes, proRoutes, adminRoutes }))('%s', (_name, routes) => {
  it('have no route that an earlier one would hide', () => {
    const hidden = routes.flatMap(({ method, path }, index) => {
      const router = express.Router();
      for (const earlier of routes.slice(0, index).filter((each) => each.method === method))
        router.route(earlier.path);
      const layers = router.stack as unknown as { match(url: string): boolean }[];
      const isHidden = (each: string) => !each.includes(':') && layers.some((layer) => layer.match(each));
      return [path].flat().filter(isHidden);
    });
    expect(routes.length).toBeGreaterThan(0);
    expect(hidden).toEqual([]);
  });
});
