/** The shape of a guard, and its one way to end: on, or refused, or neither where the application has answered itself. */
import type { NextFunction, Request, Response } from 'express';

/** A middleware that lets a request through or answers it. Spelt out, so that a declaration file can name it. */
export type Guard = (req: Request, res: Response, next: NextFunction) => void;

/**
 * Goes on when `check` resolves and refuses when it rejects. A time-out of the application may have answered meanwhile:
 * then there is nothing left to do, and writing a header would throw outside of anybody's reach.
 */
export function settle(
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

/** What a route shows to whom a guard let in is for nobody else; the application may say otherwise. */
export function keepPrivate(res: Response): void {
  if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store');
}
