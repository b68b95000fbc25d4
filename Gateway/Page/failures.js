// What failed, in words for people who do not know how the engine is built.

/** What a failed call means, as {title, text}. @param {boolean} continues Whether the page makes the call again by
   itself. */
export function failureText(error, continues) {
  const next = continues ? "This page continues by itself when that has passed." : "";
  if (error.isUnreachable) return { title: "No connection", text: `${error.sentence} ${next}` };
  switch (error.code) {
    case "UNAVAILABLE":
    case "DEADLINE_EXCEEDED":
      return { title: error.fault, text: next || "It may be very busy." };
    case "UNAUTHENTICATED":
      return { title: "A token is needed", text: "The gateway answers only with its token. Try again to enter it." };
    case "INVALID_ARGUMENT":
      return { title: "That picture cannot be read", text: error.sentence };
    default:
      if (continues && error.isPassing)
        return { title: "The engine is busy", text: `Others are using it, too. ${next}` };
      return { title: "That did not work", text: error.sentence ?? error.message };
  }
}
