// What a tab remembers, until it is closed.

/** What this tab keeps under a name; undefined for nothing, or in a browser that keeps nothing. */
export function readKept(key) {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a text for this tab; undefined forgets it. */
export function keep(key, text) {
  try {
    if (text === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // A browser that keeps nothing asks again.
  }
}
