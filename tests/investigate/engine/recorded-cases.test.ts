import { describe, expect, it } from 'vitest';
import { referenceBand, referenceSignals, servicesSeen } from '../../../src/investigate/policy/reference.js';
import { CASES, expectedOf, loadCase } from '../fakes/corpus.js';
import { runCase } from '../fakes/run-case.js';

describe.each(CASES)('the engine without a model on the recording %s', (name) => {
  it.each(['with_source', 'without_source'] as const)('%s', async (access) => {
    const result = await runCase(name, access === 'with_source');
    const wanted = expectedOf(name).deterministic[access];
    const { root_cause: cause } = result;
    expect(cause.confidence).toBeCloseTo(wanted.confidence, 3);
    expect({
      subject: cause.subject,
      error_type: cause.error_type,
      confidence_level: cause.confidence_level,
      allowed_band: result.supported_band,
      file_path: cause.file_path,
      line_number: cause.line_number,
    }).toEqual({
      subject: wanted.subject,
      error_type: wanted.error_type,
      confidence_level: wanted.confidence_level,
      allowed_band: wanted.allowed_band,
      file_path: wanted.file_path,
      line_number: wanted.line_number,
    });
    expect(cause.claims.filter(({ verified }) => !verified)).toEqual([]);
  });

  it.each(['current', 'recorded'] as const)('the reference on its own receipts: %s', (version) => {
    const wanted = expectedOf(name).reference_ledger[version] ?? {};
    const receipts = loadCase(name).calls.map(({ tool, outcome, reference_receipt: receipt }) => ({
      ...receipt,
      // Earlier the reference took an empty query for a success.
      success: receipt.success || (version === 'recorded' && tool === 'query_logs' && outcome === 'empty'),
    }));
    const signals = referenceSignals(receipts);
    const withoutGithub = referenceSignals(receipts.filter(({ family }) => family !== 'github'));
    const { services_compared: _, ...shown } = signals;
    expect({
      ...shown,
      jaeger_services: servicesSeen(receipts, 'jaeger'),
      loki_services: servicesSeen(receipts, 'loki'),
      allowed_band_for_known_type: referenceBand('runtime_error', signals, false),
      allowed_band_without_github: referenceBand('runtime_error', withoutGithub, false),
    }).toEqual(wanted);
  });
});
