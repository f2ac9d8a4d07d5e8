/** The product behind the sign-in, as small as can be: notes that belong to their writer. Yours goes here. */
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

/** The oldest goes when one more comes. */
const notesPerUser = 500;

/** @param file stands in for your database. */
export async function createNotes(service: Service, file: string) {
  let notes = JSON.parse(await readFile(file, 'utf8').catch(() => '[]')) as Note[];
  const save = () => writeFile(file, JSON.stringify(notes));
  const ofUser = (userId: string) => notes.filter((note) => note.userId === userId);

  const routes = Router();
  // For people: a session. `req.user` is who asks; whatever they send, they reach their own notes only.
  routes.get('/api/notes', requireSession(service), (req, res) => {
    res.json({ notes: ofUser(req.user!.id) });
  });
  routes.post('/api/notes', requireSession(service), express.json(), async (req, res) => {
    const { text } = (req.body ?? {}) as { text?: unknown };
    if (typeof text !== 'string' || text.trim() === '' || text.length > 500) {
      const message = 'Write something, in at most 500 characters.';
      return void res.status(400).json({ error: 'invalid_request', message });
    }
    const writtenAt = new Date().toISOString();
    const note = { id: randomUUID(), userId: req.user!.id, text: text.trim(), writtenAt };
    // Per writer: a cap for all would let one of them push out the notes of everybody else.
    const dropped = new Set(ofUser(note.userId).slice(notesPerUser - 1));
    notes = [note, ...notes.filter((each) => !dropped.has(each))];
    await save();
    res.status(201).json({ note });
  });
  routes.delete('/api/notes/:id', requireSession(service), async (req, res) => {
    notes = notes.filter(({ id, userId }) => id !== req.params['id'] || userId !== req.user!.id);
    await save();
    res.json({ ok: true });
  });
  // For programs: an API key of the account page, `Authorization: Bearer svc_…`.
  routes.get('/api/v1/notes', requireApiKey(service, { scopes: ['notes:read'] }), (req, res) => {
    res.json({ notes: ofUser(req.apiKey?.userId ?? '') });
  });

  /** Call it when the service is ready: notes travel with the export of an account and go with its deletion. */
  function contribute(): void {
    service.account.contribute('notes', {
      exportData: async (userId) => ofUser(userId),
      deleteData: async (userId) => {
        notes = notes.filter((note) => note.userId !== userId);
        await save();
      },
    });
  }
  return { routes, contribute };
}
