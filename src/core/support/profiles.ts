/** The rules of the application for names and pictures, in addition to their form (src/domain/profile.ts). */
import * as z from 'zod';
import { imitationOf } from '../../domain/imitations.js';
import {
  allowedPicture,
  isPictureSource,
  parsePersonName,
  shownName,
  type Profile,
} from '../../domain/profile.js';
import { isReservedUsername, usernameKey } from '../../domain/username.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { lazily } from '../../runtime/load.js';

export const profilesOptions = z.strictObject({
  editable: z
    .boolean()
    .default(true)
    .describe('Whether users change their own names and pictures. Administrators always can.'),
  pictures: z
    .array(
      z
        .string()
        .refine(isPictureSource, 'must be an https URL or a path with a slash at the end, such as /avatars/'),
    )
    .default([])
    .describe(
      'The sources of pictures: the beginnings of https URLs (`https://lh3.googleusercontent.com/`) and of paths (`/avatars/`). The pages show no other picture.',
    ),
});

export class Profiles {
  private readonly isReserved: () => ReturnType<typeof imitationOf>;

  /** @param reserved names that no user may have, such as that of the application. */
  constructor(
    private readonly options: z.output<typeof profilesOptions>,
    reserved: readonly string[],
  ) {
    this.isReserved = lazily(() => imitationOf(reserved.map(usernameKey)));
  }

  /** Whether users change their own names and pictures. */
  get areEditable(): boolean {
    return this.options.editable;
  }

  /** Where pictures may come from, for the policy of the pages. Empty if no picture is shown. */
  get pictureSources(): readonly string[] {
    return this.options.pictures;
  }

  /** Returns what may be shown of a user. */
  ofUser({ metadata }: { metadata: Readonly<Record<string, unknown>> }): Profile {
    const name = shownName(metadata['name']);
    return { name: name !== null && this.imitates(name) ? null : name, picture: this.pictureIn(metadata) };
  }

  /** Returns what may be shown of an organization, whose name was checked. */
  ofOrg({ name, metadata }: { name: string; metadata: Readonly<Record<string, unknown>> }): Profile {
    return { name, picture: this.pictureIn(metadata) };
  }

  /**
   * Returns the name that a user has typed.
   * @throws InvalidRequestError; with the reason `name_address` if it contains an address or a link, and `name_reserved` if it looks like
   * a name of the application or of its operators.
   */
  parseName(name: unknown): string {
    const text = parsePersonName(name);
    if (this.imitates(text)) {
      const message = 'name must not be a reserved name.';
      throw new InvalidRequestError(message, { field: 'name', reason: 'name_reserved' });
    }
    return text;
  }

  /** @throws InvalidRequestError unless the picture is one that the application allows. */
  parsePicture(picture: unknown): string {
    const allowed = allowedPicture(picture, this.options.pictures);
    if (allowed !== null) return allowed;
    const message = 'picture must begin with one of profiles.pictures of the configuration.';
    throw new InvalidRequestError(message, { field: 'picture', reason: 'picture_source' });
  }

  /** Whether a name looks like one of the application or of its operators. */
  private imitates(name: string): boolean {
    const key = usernameKey(name);
    return isReservedUsername(name, key) || this.isReserved()(name, key);
  }

  private pictureIn(metadata: Readonly<Record<string, unknown>>): string | null {
    return allowedPicture(metadata['picture'], this.options.pictures);
  }
}
