import { cleanText } from '../../foreign/hygiene.js';
import { integer, isObject, type JsonObject, objectsOf } from '../../foreign/json.js';
import { redactCommand, secretValues } from '../../foreign/redact.js';
import type { Join } from '../collector.js';
import type { ProcessFact } from '../facts.js';

const MAX_COMMAND = 1000;

/** Names the VRAM holders: their command lines, and whether they are this session's (spec 02 §10.2 i, 04 §14). */
export const gpuHoldersJoin: Join = {
  name: 'gpu_holders',
  join(slots, env) {
    const local = slots.local_gpu;
    if (!isObject(local) || !Array.isArray(local.gpus)) return {};
    const byPid = new Map((env.facts.processes?.processes ?? []).map((fact) => [fact.pid, fact]));
    const secrets = secretValues(env.env);
    const complete = (holder: JsonObject): JsonObject => {
      // A pid of another namespace may be somebody else's number here.
      const fact = holder.alive === true ? byPid.get(integer(holder.pid) ?? 0) : undefined;
      const isOthers = typeof holder.owner_session === 'string';
      return {
        ...holder,
        cmd: fact ? cleanText(redactCommand(fact.argv.join(' '), { secrets }), MAX_COMMAND) : '',
        session_owned: owned(fact) ?? (isOthers ? false : null),
      };
    };
    const gpus = objectsOf(local.gpus).map((gpu) =>
      Array.isArray(gpu.holders) ? { ...gpu, holders: objectsOf(gpu.holders).map(complete) } : gpu,
    );
    return { local_gpu: { ...local, gpus } };
  },
};

function owned(fact: ProcessFact | undefined): boolean | null {
  if (!fact) return null;
  return fact.sessionOwned ?? (fact.otherSession === null ? null : false);
}
