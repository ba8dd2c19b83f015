let looks: Promise<typeof import('./host-looks.js')> | undefined;

/** The looks at this host, loaded when the first is wanted: a tick without local probes starts sooner without them. */
export function hostLooks(): Promise<typeof import('./host-looks.js')> {
  looks ??= import('./host-looks.js');
  return looks;
}
