import { BadRequestException, Body, Controller, Get, Post } from '@nestjs/common';
import type { ServiceUser } from 'svc-auth';
import { CurrentUser, Public, Roles } from 'svc-auth/nestjs';
import { NotesService, type Note } from './notes.service';

@Controller()
export class NotesController {
  constructor(private readonly notes: NotesService) {}

  @Public()
  @Get()
  home(@CurrentUser() user: ServiceUser | undefined): string {
    return user ? `Signed in as ${user.email}.` : '<a href="/sign-in">Sign in</a>';
  }

  @Get('notes')
  list(@CurrentUser('id') userId: string): Note[] {
    return this.notes.of(userId);
  }

  @Post('notes')
  add(@CurrentUser('id') userId: string, @Body('text') text: unknown): Note {
    if (typeof text !== 'string' || text === '') throw new BadRequestException('text is missing');
    return this.notes.add(userId, text);
  }

  @Roles('admin')
  @Get('statistics')
  statistics(): { notes: number } {
    return { notes: this.notes.count() };
  }
}
