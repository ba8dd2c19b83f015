const GITHUB_URL = /^https?:\/\/(?:www\.)?github\.com\/([^/]+)\/([^/]+)\/?$/;
const REPOSITORY = /^[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}$/;
const LOOSE_URL = /^(?:https?:\/\/)?(?:www\.)?github\.com[/:]/i;

/** A repository as the reference reads it: `OWNER/NAME` out of an exact GitHub URL, anything else unchanged (spec 07 A4.2). */
export function normalizeRepoReference(value: string): string {
  const trimmed = value.trim().replace(/^\/+|\/+$/g, '');
  const match = GITHUB_URL.exec(trimmed);
  return match === null ? trimmed : `${match[1]}/${match[2]}`;
}

/** `OWNER/NAME` out of any usual way to name a GitHub repository, null when it is none (spec 07 B14). */
export function parseRepo(value: string): string | null {
  const bare = value
    .trim()
    .replace(/[.,;:!?)\]}>'"]+$/, '')
    .replace(/^git@(?=github\.com:)/i, '')
    .replace(LOOSE_URL, '')
    .replace(/^\/+/, '');
  const [owner = '', name = ''] = bare.split(/[/?#]/);
  const repo = `${owner}/${name.replace(/\.git$/, '')}`;
  return REPOSITORY.test(repo) && !/^\.{1,2}$/.test(name) ? repo : null;
}
