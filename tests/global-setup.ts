import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Tests run the built product: build once before the first test, unless the caller says that it has been done. */
export default function setup(): void {
  if (process.env.ROBUSTNESS_TESTS_SKIP_BUILD === '1' && existsSync('dist/cli.js')) return;
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
}
