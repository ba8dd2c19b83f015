import { isDeepStrictEqual } from 'node:util';
import { type Json, objectOr } from '../../../src/foreign/json.js';
import { healthySlots } from '../world/defaults.js';
import type { LabWorld } from '../world/world.js';

/** Bytes of the write-ahead log of a session that is well. */
const USUAL_WAL = 4_120_000;

/** What a world holds that no file, process or server of a live session stands for; empty when it can be played. */
export function unplayable(world: LabWorld, startUnix: number, manifestAtStart: Json): string[] {
  const { slots, sessionDir } = world;
  const usual = { ...healthySlots(sessionDir, startUnix), local_manifest: manifestAtStart };
  const otherSlots = Object.entries(slots).flatMap(([slot, value]) => {
    const wanted = slot === 'local_disk' ? withoutOwn(value, sessionDir) : value;
    const given = Object.entries(usual).find(([name]) => name === slot)?.[1];
    return isDeepStrictEqual(withoutGateway(wanted), withoutGateway(given ?? null)) ? [] : [slot];
  });
  return [
    ...otherSlots,
    ...[...world.blind.keys()].map((name) => `a blind collector ${name}`),
    ...(world.kernel.length > 0 ? ['the log of the kernel'] : []),
    ...(world.walBytes === USUAL_WAL ? [] : ['the size of the write-ahead log']),
    ...(world.coordinatorProcess['alive'] === true ? [] : ['the death of the Coordinator']),
    ...(world.judges.every((judge) => judge['emit_source'] === 'critic') ? [] : ['answers of the critic']),
  ];
}

/** Without the file systems below the session, which can be made. */
function withoutOwn(disks: Json, sessionDir: string): Json {
  return Object.fromEntries(
    Object.entries(objectOr(disks)).filter(([path]) => !path.startsWith(`${sessionDir}/`)),
  );
}

/** Without the gateway, which can be made. */
function withoutGateway(value: Json): Json {
  const { gateway: _gateway, ...rest } = objectOr(value);
  return 'tracelens_cli' in rest ? rest : value;
}
