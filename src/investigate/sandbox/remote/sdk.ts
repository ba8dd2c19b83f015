/** What is used of the package of E2B, which is there only where somebody installed it. */
export type Sdk = Pick<
  typeof import('e2b'),
  'CommandExitError' | 'ConnectionConfig' | 'Sandbox' | 'TimeoutError'
>;
