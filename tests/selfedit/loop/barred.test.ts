import { describe, expect, it } from 'vitest';
import { barredEdits } from '../../../src/selfedit/loop/barred.js';
import { effect, ordered, reviewLab } from '../support/review-lab.js';

const met = ordered().slice(0, 120);

describe('an edit that was taken back (spec 08 §24.10)', () => {
  it('is barred, under another wording and in another epoch, too; until its version is current again', async () => {
    const lab = await reviewLab(effect(met, 20, 0));
    const { edits } = await lab.first();
    expect(edits).toMatchObject([{ verdict: 'promote' }]);
    expect(barredEdits(lab.parts)).toEqual([]);
    expect(await lab.parts.registry.rollback(1, 'live outcomes')).toMatchObject({ ok: true });
    expect(barredEdits(lab.parts)).toMatchObject([
      { edit: { edit_id: edits[0]?.edit_id }, isRejected: true },
    ]);

    lab.parts.ledger.openEpoch();
    const again = await lab.first({ hypothesis: 'once more', intent: 'procedure' }, 'second');
    expect(again.edits).toMatchObject([{ verdict: 'blocked_duplicate' }]);

    await lab.parts.registry.rollback(2, 'it was the labels');
    expect(barredEdits(lab.parts)).toEqual([]);
  });
});
