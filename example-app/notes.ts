/** A minimal product: notes that belong to their author. Replace it with yours. */
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import express, { Router } from 'express';
import { requireApiKey, requireSession, type Service } from 'svc-auth';

interface Note {
  id: string;
  userId: string;
  text: string;
  writtenAt: string;
}

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

  const routes = Router();
  // For browsers: a session. The queries use the id of `req.user`, so users reach only their own notes.
  routes.get('/api/notes', requireSession(service), (req, res) => {
    res.json({ notes: ofUser(req.user!.id) });
  });
  routes.post('/api/notes', requireSession(service), express.json(), async (req, res) => {
    const { text } = (req.body ?? {}) as { text?: unknown };
    if (typeof text !== 'string' || text.trim() === '' || text.length > 500) {
      const message = 'A note must have 1 to 500 characters.';
      return void res.status(400).json({ error: 'invalid_request', message });
    }
    const writtenAt = new Date().toISOString();
    const note = { id: randomUUID(), userId: req.user!.id, text: text.trim(), writtenAt };
    // Counted per author: with one limit for all, one user could delete the notes of everyone else.
    const excessNotes = new Set(ofUser(note.userId).slice(notesPerUser - 1));
    notes = [note, ...notes.filter((each) => !excessNotes.has(each))];
    await save();
    res.status(201).json({ note });
  });
  routes.delete('/api/notes/:id', requireSession(service), async (req, res) => {
    notes = notes.filter(({ id, userId }) => id !== req.params['id'] || userId !== req.user!.id);
    await save();
    res.json({ ok: true });
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
