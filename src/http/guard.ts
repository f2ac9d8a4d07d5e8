/** What the guards share: their type, and how they pass a request on or refuse it. */
import type { NextFunction, Request, Response } from 'express';

/**
 * A middleware that passes a request on or responds to it. Written out so that declaration files
 * can name it.
 */
export type Guard = (req: Request, res: Response, next: NextFunction) => void;

/**
 * What a guard checks, without its response, so that every framework refuses by the same rules.
 * Rejects with the reason. There is no response to the message of a socket.
 */
export type RequestCheck = (req: Request, res: Response | undefined) => Promise<void>;

/**
 * Calls `next` if `check` resolves, and `refuse` if it rejects. Does nothing if a timeout of the
 * application has responded in the meantime: another header would throw outside of any handler.
 */
export function runGuard(
  res: Response,
  next: NextFunction,
  check: Promise<unknown>,
  refuse: (error: unknown) => void,
): void {
  check
    .then(
      () => {
        if (!res.headersSent) next();
      },
      (error: unknown) => {
        if (!res.headersSent) refuse(error);
      },
    )
    .catch(next);
}

/**
 * Forbids caches to store a response to an authenticated user, unless the application has set the
 * header.
 */
export function noStore(res: Response): void {
  if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store');
}
