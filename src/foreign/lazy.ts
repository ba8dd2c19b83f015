/**
 * A value made when it is first asked for. For patterns with character classes of Unicode above all: making one costs a
 * millisecond, which a tick that never needs it should not pay.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
