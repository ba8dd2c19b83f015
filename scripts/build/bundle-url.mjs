import { pathToFileURL } from 'node:url';

/** Part of a bundle only where something asks for it. */
export const __bundle_url = /* @__PURE__ */ pathToFileURL(__filename).href;
