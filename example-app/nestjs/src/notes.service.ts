import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';

export interface Note {
  owner: string;
  text: string;
}

/** Keeps notes in memory. */
@Injectable()
export class NotesService {
  readonly added = new Subject<Note>();
  private readonly notes: Note[] = [];

  add(owner: string, text: string): Note {
    const note = { owner, text };
    this.notes.push(note);
    this.added.next(note);
    return note;
  }

  of(owner: string): Note[] {
    return this.notes.filter((note) => note.owner === owner);
  }

  count(): number {
    return this.notes.length;
  }
}
