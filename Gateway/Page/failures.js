// What failed, in words for people who do not know how the engine is built.

/** Of what passes by itself. */
const WAITING = "This page continues by itself when it is back.";

/** What a failed call means, as {title, text}. @param {boolean} isLive Of a camera, whose next frame may come through. */
export function failureText(error, isLive = false) {
  if (error.isUnreachable) {
    return { title: "No connection", text: `This page's gateway cannot be reached. ${WAITING}` };
  }
  switch (error.code) {
    case "UNAVAILABLE":
      return { title: "The engine is not running", text: `It may just be starting. ${WAITING}` };
    case "DEADLINE_EXCEEDED":
      return { title: "The engine does not answer", text: `It may be very busy. ${WAITING}` };
    case "UNAUTHENTICATED":
      return { title: "A token is needed", text: "The gateway answers only with its token. Try again to enter it." };
    default:
      if (isLive && error.isPassing) {
        return { title: "The engine is busy", text: "Others are using it, too. This page continues by itself." };
      }
      return { title: "That did not work", text: error.sentence ?? error.message };
  }
}
