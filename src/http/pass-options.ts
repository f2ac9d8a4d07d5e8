/** OPTIONS requests belong to the application, which answers CORS preflights. */
import type { NextFunction, Request, Response } from 'express';

/** Leaves the router, which would answer with a list of its methods. The first layer: a router collects the list as it goes. */
export function passOptions(req: Request, _res: Response, next: NextFunction): void {
  if (req.method === 'OPTIONS') next('router');
  else next();
}
