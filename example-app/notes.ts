/** A minimal product: notes that belong to their author. Replace it with yours. */
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import express, { Router, type Request, type Response } from 'express';
import { optionalSession, requireApiKey, requireSession, sameOrigin, type Service } from 'svc-auth';
import { formToken } from 'svc-auth/pages';
import type { Visitor } from './layout.js';
import { notesPage, parseNote, type Note } from './notes-page.js';

/** A new note beyond this number deletes the oldest. */
const notesPerUser = 500;

/**
 * Creates the routes of the notes.
 *
 * @param file in which the notes are stored, instead of your database.
 */
export async function createNotes(service: Service, file: string) {
  let notes = JSON.parse(await readFile(file, 'utf8').catch(() => '[]')) as Note[];
  const save = () => writeFile(file, JSON.stringify(notes));
  const ofUser = (userId: string) => notes.filter((note) => note.userId === userId);

  async function visitorOf(req: Request): Promise<Visitor> {
    const user = req.user!;
    const { isGuest, roles } = await service.users.get(user.id);
    return { user, isGuest, isAdmin: roles.includes('admin'), formToken: formToken(service, req) };
  }

  const routes = Router();
  // Without a session, the user signs in and comes back. The queries use the id of `req.user`, so users reach only their own notes.
  routes.get('/', optionalSession(service), async (req, res) => {
    if (!req.user) return res.redirect('/sign-in?next=/');
    res.send(notesPage(await visitorOf(req), ofUser(req.user.id)));
  });

  // A form of another site cannot change anything in the name of the user.
  const form = [sameOrigin(service), optionalSession(service), express.urlencoded()];
  routes.post('/notes', form, async (req: Request, res: Response) => {
    if (!req.user) return res.redirect(303, '/sign-in?next=/');
    const text = parseNote((req.body as { text?: unknown } | undefined)?.text);
    if (text === null) {
      const error = 'A note must have 1 to 500 characters.';
      return void res.status(422).send(notesPage(await visitorOf(req), ofUser(req.user.id), error));
    }
    const note = { id: randomUUID(), userId: req.user.id, text, writtenAt: new Date().toISOString() };
    // Counted per author: with one limit for all, one user could delete the notes of everyone else.
    const excessNotes = new Set(ofUser(note.userId).slice(notesPerUser - 1));
    notes = [note, ...notes.filter((each) => !excessNotes.has(each))];
    await save();
    res.redirect(303, '/');
  });
  routes.post('/notes/:id/delete', form, async (req: Request, res: Response) => {
    notes = notes.filter(({ id, userId }) => id !== req.params['id'] || userId !== req.user?.id);
    await save();
    res.redirect(303, '/');
  });

  // For scripts with the session token: without a session, these return 401 and JSON.
  routes.get('/me', requireSession(service), (req, res) => {
    res.json(req.user);
  });
  // For programs: an API key created on the account page, `Authorization: Bearer svc_…`.
  routes.get('/api/v1/notes', requireApiKey(service, { scopes: ['notes:read'] }), (req, res) => {
    res.json({ notes: ofUser(req.apiKey?.userId ?? '') });
  });

  /** Exports and deletes the notes together with the account. Call it after `service.init()`. */
  function registerUserData(): void {
    service.account.registerUserData('notes', {
      exportData: async (userId) => ofUser(userId),
      deleteData: async (userId) => {
        notes = notes.filter((note) => note.userId !== userId);
        await save();
      },
    });
  }
  return { routes, registerUserData };
}
