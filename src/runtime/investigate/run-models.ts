import { hostname, userInfo } from 'node:os';
import type { InvestigateConfig } from '../../investigate/config.js';
import { maskedModel } from '../../investigate/loop/masked-model.js';
import { openModel, withinCost } from '../../investigate/loop/open-model.js';
import type { RunTape } from '../../investigate/replay/run-tape.js';
import { createMasker } from '../../investigate/safety/masker.js';
import type { ChatModel } from '../../llm/chat.js';

/** The models of one investigation as it may use them. */
export interface RunModels {
  /** Null where none is configured, wanted or affordable. */
  readonly model: ChatModel | null;
  /** Gives the second opinion, where it is another model. */
  readonly verifier: ChatModel | null;
  /** The second opinion that is configured can be had. */
  readonly mayVerify: boolean;
  readonly warnings: readonly string[];
  /** Takes note of the names in a text, so that they are known before any text with them is sent. */
  learn(text: string): void;
  close(): Promise<void>;
}

export interface RunModelsOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly config: InvestigateConfig;
  readonly tape: RunTape;
  readonly redact: (text: string) => string;
  /** Services seen so far; their names stay when names of hosts are masked. */
  readonly isService: (name: string) => boolean;
}

/** The models that environment and settings name, recorded or replayed, within their costs, names masked where wanted. */
export function openRunModels({ env, config, tape, redact, isService }: RunModelsOptions): RunModels {
  const { verifierEnabled, verifierModel, maskIdentifiers } = config;
  const opened: ChatModel[] = [];
  const warnings: string[] = [];
  const afford = (live: ChatModel | null, role: 'model' | 'verifier'): ChatModel | null => {
    const found = tape.model(live, role);
    if (found === null) return null;
    opened.push(found);
    const { model, warning } = withinCost(found, config);
    if (warning !== null) warnings.push(warning);
    return model;
  };
  const model = afford(openModel(env, redact, config.model), 'model');
  const wantsOther = model !== null && verifierEnabled && !['', model.model].includes(verifierModel);
  const verifier = wantsOther ? afford(openModel(env, redact, verifierModel), 'verifier') : null;
  const masker = maskIdentifiers ? createMasker({ ...ownNames(config), isService }) : null;
  const masked = (one: ChatModel | null) =>
    one === null || masker === null ? one : maskedModel(one, masker);
  return {
    model: masked(model),
    verifier: masked(verifier),
    mayVerify: verifierEnabled && (!wantsOther || verifier !== null),
    warnings,
    learn: (text) => void masker?.mask(text),
    close: async () => {
      await Promise.all(opened.map((one) => one.close()));
    },
  };
}

/** Names that are known before anything is read. */
function ownNames({ jaegerUrl, lokiUrl }: InvestigateConfig) {
  const host = hostname();
  const services = [jaegerUrl, lokiUrl].flatMap((url) =>
    URL.canParse(url) ? [new URL(url).hostname.replace(/^\[|\]$/g, '')] : [],
  );
  return { hosts: [host, host.split('.')[0] ?? '', ...services], users: [ownUser()] };
}

function ownUser(): string {
  try {
    return userInfo().username;
  } catch {
    // An id without a name, as in many containers.
    return '';
  }
}
