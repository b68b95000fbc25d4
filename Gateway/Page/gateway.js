// Calls of the gateway. Nothing here knows of a page.

/** Milliseconds until a call counts as lost: about a picture, and any other. The time begins anew with each part that
   was sent. */
const LIMITS = { picture: 30000, other: 5000 };

/** What a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;

export function isToken(text) {
  return TOKEN.test(text);
}

/** A call that failed: `code` is a status of gRPC, as in "UNAVAILABLE", and the message a sentence for people. */
export class GatewayError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "GatewayError";
    this.code = code;
  }

  /** The message as a sentence of a page. */
  get sentence() {
    const text = this.message[0].toUpperCase() + this.message.slice(1);
    return /[.!?]$/.test(text) ? text : `${text}.`;
  }

  /** What is wrong, without what to do. */
  get fault() {
    return this.sentence.split(/; |[.!?]$/)[0];
  }

  /** Whether it came from no gateway at all. */
  isUnreachable = false;

  /** Whether the gateway or its engine is not there, or does not answer. */
  get isLoss() {
    return this.code === "UNAVAILABLE" || this.code === "DEADLINE_EXCEEDED";
  }

  /** Whether the gateway or its engine may answer again later, without another call. */
  get isPassing() {
    return this.isLoss || this.code === "RESOURCE_EXHAUSTED" || this.code === "ABORTED";
  }
}

/** The codes of answers that have no error of the gateway's, as those of a proxy. */
function codeOfStatus(status) {
  const codes = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    413: "RESOURCE_EXHAUSTED",
    429: "RESOURCE_EXHAUSTED",
    501: "UNIMPLEMENTED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
  };
  return codes[status] ?? "INTERNAL";
}

async function errorOf(response) {
  const told = await response.json().then(
    (body) => body.error,
    () => undefined,
  );
  return new GatewayError(
    told?.code ?? codeOfStatus(response.status),
    told?.message || `The gateway answered with status ${response.status}.`,
  );
}

/** Whether another token would help, and not, say, the password of a proxy. */
function wantsToken(response) {
  const scheme = response.headers.get("WWW-Authenticate"); // which pages of other origins do not see
  return response.status === 401 && (scheme === null || /\bbearer\b/i.test(scheme));
}

/** Milliseconds that the engine took, where the gateway says so; else undefined. */
function engineTime(response) {
  const told = /\bengine;[^,]*\bdur=([\d.]+)/.exec(response.headers.get("Server-Timing") ?? "");
  return told ? Number(told[1]) : undefined;
}

/** As `fetch`, which does not report progress: `onSent` is called with the number of bytes that were sent so far. */
function upload(url, { method, headers, body, signal, onSent }) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const call = new XMLHttpRequest();
    call.open(method, url);
    for (const [name, value] of Object.entries(headers)) call.setRequestHeader(name, value);
    call.upload.onprogress = ({ loaded }) => onSent(loaded);
    call.onloadend = () => {
      if (call.status === 0) return reject(signal.reason ?? new TypeError("the call did not succeed"));
      const told = [...call.getAllResponseHeaders().matchAll(/^(.+?): (.*)$/gm)].map(([, name, value]) => [
        name,
        value,
      ]);
      resolve(new Response(call.response || null, { status: call.status, headers: told }));
    };
    signal.addEventListener("abort", () => call.abort(), { once: true });
    call.send(body);
  });
}

/** When the calls that have responses were sent: not before a token was there. */
const sentAt = new WeakMap();

/** The answer of a call about a picture, and what it took, in milliseconds. */
async function replyOf(response) {
  return {
    answer: await response.json(),
    engine: engineTime(response),
    roundTrip: performance.now() - sentAt.get(response),
  };
}

export class Gateway {
  /** Sent with each call; "" for none. */
  token = "";

  /**
   * Asks somebody for a token when the gateway wants another one than it was sent; without, or if there is none, the
   * call fails.
   * @type {((wasRefused: boolean) => Promise<string | undefined>) | undefined}
   */
  askToken;

  #origin;
  #asking = null;

  /** @param {string} origin As in "https://kiosk.example:8443"; "" for the page's own. */
  constructor(origin = "") {
    this.#origin = origin.replace(/\/+$/, "");
  }

  /** Resolves when an engine answers, else throws a GatewayError. */
  async ready(signal) {
    await this.call("/readyz", { signal });
  }

  /**
   * Finds the faces of a picture file.
   * @param {Record<string, string>} options Long flags of `face-engine detect`, as in {landmarks: "true"}.
   * @param {(bytes: number) => void} [onSent] Called with the number of bytes that were sent so far.
   * @returns The object that `face-engine detect --json` prints, and what it took, in milliseconds.
   */
  async detect(picture, options, signal, onSent) {
    const response = await this.call(`/v1/detect?${new URLSearchParams(options)}`, {
      method: "POST",
      body: picture,
      limit: LIMITS.picture,
      signal,
      onSent,
    });
    return replyOf(response);
  }

  /**
   * Opens a session, which the gateway closes when it is not used for some time.
   * @param {"track" | "check"} kind
   */
  async openSession(kind, options, signal) {
    const response = await this.call("/v1/sessions", {
      method: "POST",
      body: JSON.stringify({ kind, options }),
      headers: { "Content-Type": "application/json" },
      signal,
    });
    return this.session(await response.json());
  }

  /** The session of an answer to POST /v1/sessions, whoever was given it. */
  session({ id, token }) {
    return new GatewaySession(this, `/v1/sessions/${encodeURIComponent(id)}`, token);
  }

  /**
   * Returns a response that succeeded, else throws a GatewayError, or what `signal` was aborted with.
   * @param {string} [request.token] Instead of the gateway's own. The user is not prompted for another one then.
   */
  async call(path, { token, ...request } = {}) {
    for (;;) {
      const sent = token ?? this.token;
      const response = await this.#send(path, sent, request);
      if (response.ok) return response;
      const canAsk = wantsToken(response) && token === undefined && this.askToken;
      if (!canAsk || !(await this.#renewToken(sent))) throw await errorOf(response);
      request.signal?.throwIfAborted();
    }
  }

  async #send(path, token, { signal, limit = LIMITS.other, headers, onSent, ...request }) {
    if (token && !isToken(token)) {
      throw new GatewayError("INVALID_ARGUMENT", "the token has blanks or letters that a header cannot carry");
    }
    const isPicture = request.body instanceof Blob;
    const late = new AbortController();
    const start = performance.now();
    let isSent = !isPicture;
    let timer;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => late.abort(), limit);
    };
    wait();
    try {
      const response = await (isPicture ? upload : fetch)(this.#origin + path, {
        ...request,
        headers: token ? { ...headers, Authorization: `Bearer ${token}` } : { ...headers },
        cache: "no-store",
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        onSent: (bytes) => {
          isSent = bytes >= request.body.size;
          onSent?.(bytes);
          wait();
        },
      });
      sentAt.set(response, start);
      return response;
    } catch (error) {
      if (signal?.aborted) throw error;
      const seconds = `${limit / 1000} s`;
      if (late.signal.aborted && isSent)
        throw new GatewayError("DEADLINE_EXCEEDED", `The engine has not answered for ${seconds}.`);
      const failure = new GatewayError(
        "UNAVAILABLE",
        late.signal.aborted ? `The line has carried nothing for ${seconds}.` : "The gateway cannot be reached.",
      );
      failure.isUnreachable = true;
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Asks once for all calls that wait. Returns whether there is another token than the one that was refused. */
  async #renewToken(refused) {
    if (this.token !== refused) return true;
    this.#asking ??= this.askToken(refused !== "").finally(() => (this.#asking = null));
    const token = await this.#asking;
    if (!token) return false;
    this.token = token;
    return true;
  }
}

export class GatewaySession {
  #gateway;
  #path;
  #token;

  /** @param {string} [token] The session's own, for its paths alone. */
  constructor(gateway, path, token) {
    this.#gateway = gateway;
    this.#path = path;
    this.#token = token;
  }

  /** Whether it has a token of its own, which is valid for some time. */
  get hasToken() {
    return this.#token !== undefined;
  }

  /** Sends a frame and returns its answer, as `Gateway.detect` does. Wait for it before the next one. */
  async frame(picture, signal) {
    const headers = { "X-Timestamp-Ns": String(Math.round(performance.now() * 1e6)) };
    return replyOf(await this.#call("/frames", { method: "POST", body: picture, headers, signal }));
  }

  /** The picture of a check that succeeded, as a Blob. @param {"picture" | "crop"} which */
  async picture(which, signal) {
    return (await this.#call(`/${which}`, { signal })).blob();
  }

  /** Begins a new attempt of a check. */
  async restart(signal) {
    await this.#call("/restart", { method: "POST", signal });
  }

  /** Closes the session; one that is not there any more is no error. */
  async close() {
    await this.#call("", { method: "DELETE", keepalive: true }).catch(() => {});
  }

  #call(path, request) {
    return this.#gateway.call(this.#path + path, { ...request, token: this.#token });
  }
}
