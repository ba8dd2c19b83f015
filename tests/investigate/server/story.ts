import type { RunningServer, ScriptedStep } from './support.js';

/** An investigation as it happens: logs and traces of one failure, and what it rests on. */
export function tellStory(engine: RunningServer['engine']): void {
  const times = { first_ts_unix: 1_777_818_012, last_ts_unix: 1_777_818_013 };
  const quote = 'could not connect to valkey-cart:6379';
  const entries = [
    {
      ts_unix: 1_777_818_012.345,
      line: 'info: AddItemAsync called with userId=u-17, productId=OLJCESPC7Z, quantity=1',
    },
    {
      ts_unix: 1_777_818_012.611,
      line: `fail: cart.cartstore.ValkeyCartStore[0] Wasn't able to reach the store: ${quote} (SocketFailure on 192.0.2.7:6379)`,
    },
    {
      ts_unix: 1_777_818_012.64,
      line: 'fail: Grpc.AspNetCore.Server.ServerCallHandler[6] Error when executing service method AddItem.',
    },
  ];
  const steps: ScriptedStep[] = [
    {
      receipt: {
        tool: 'list_log_services',
        evidence_class: 'none',
        signal: false,
        services: [],
        args: {},
        count: 14,
      },
      summary: 'ok, 14 entries',
      payload: { services: ['ad', 'cart', 'checkout', 'frontend'], count: 14 },
    },
    {
      receipt: { fingerprints: ['connection_refused'], count: 3, ...times },
      summary: 'ok, 3 entries, cart, connection_refused, 10 min',
      payload: { service: 'cart', query: '', entries },
      confidence: 0.5,
    },
    {
      receipt: {
        tool: 'query_traces',
        family: 'jaeger',
        evidence_class: 'trace',
        services: ['cart', 'frontend'],
        count: 20,
      },
      summary: 'ok, 20 entries, cart; 4 with a failing span, 10 min',
      payload: {
        service: 'cart',
        trace_count: 20,
        traces: [{ trace_id: '9f3c2b', error_spans: ['77ab'], span_count: 9 }],
      },
      confidence: 0.8,
    },
    {
      receipt: {
        tool: 'get_file_slice',
        family: 'github',
        evidence_class: 'none',
        status: 'error',
        success: false,
        signal: false,
        count: 0,
        args: { path: 'src/cart/src/cartstore/ValkeyCartStore.cs', around_line: 120 },
        note: 'no repository is configured',
      },
      summary: 'error, 0 entries; no repository is configured',
      payload: {},
      confidence: 0.8,
    },
    {
      receipt: {
        status: 'empty',
        signal: false,
        count: 0,
        args: { service: 'valkey-cart', time_window_minutes: 30 },
        services: ['valkey-cart'],
        note: 'nothing between 13:58 and 14:28; the name is known, so the store wrote nothing',
      },
      summary: 'empty, 0 entries, valkey-cart, 30 min; the store wrote nothing',
      payload: { service: 'valkey-cart', entries: [] },
      confidence: 0.8,
    },
  ];
  engine.steps = steps;
  engine.report = {
    configured: ['jaeger', 'loki'],
    unavailable: ['github', 'sandbox'],
    needs_input: ['repo'],
  };
  engine.result = {
    root_cause: {
      description:
        'The cart service cannot reach its store valkey-cart on port 6379: connections are refused since 14:20:12 UTC, so every AddItem call ends in an error.',
      file_path: null,
      line_number: null,
      confidence: 0.8,
      confidence_level: 'medium',
      evidence: [],
      error_type: 'network',
      service: 'cart',
      subject: 'service:cart',
      fingerprints: ['connection_refused'],
      claims: [
        {
          text: 'The cart cannot connect to its store, first at 14:20:12 UTC.',
          receipt_ids: ['r002'],
          quote,
          verified: true,
        },
        {
          text: 'Four of twenty traces of the cart have a failing span in the same minute.',
          receipt_ids: ['r003'],
          quote: null,
          verified: true,
        },
        {
          text: 'The store was restarted shortly before.',
          receipt_ids: ['r005'],
          quote: null,
          verified: false,
        },
      ],
    },
    claimed_confidence: 0.92,
    supported_band: 'medium',
    confidence_note: 'missing for high: access to the source',
    recommended_fix:
      'Start valkey-cart again, or correct VALKEY_ADDR of the cart. Let AddItem retry once before it gives up.',
    fix_code_snippet: 'services:\n  cart:\n    environment:\n      - VALKEY_ADDR=valkey-cart:6379',
    propagation: [
      {
        source: 'service:valkey-cart',
        target: 'service:cart',
        condition: 'refuses connections',
        effect: 'fails AddItem',
        receipt_ids: ['r002'],
      },
      {
        source: 'service:cart',
        target: 'service:frontend',
        condition: 'answers with an error',
        effect: 'answers 500',
        receipt_ids: ['r003'],
      },
    ],
    alternatives: [
      { error_type: 'config_error', subject: 'service:cart', score: 0.41 },
      { error_type: 'oom', subject: null, score: 0.18 },
    ],
    warnings: ['not everything was looked at: r003'],
    tools_unavailable: ['github', 'sandbox'],
    budget: {
      model_requests: 0,
      tool_calls: 5,
      input_tokens: 0,
      output_tokens: 0,
      wall_s: 2.4,
      exhausted: null,
    },
  };
}
