// The results beside the picture: number of faces, the list, the numbers of one face, the JSON.
import { byID, setText } from "./dom.js";
import { FaceDetails } from "./face-details.js";
import { FaceList } from "./face-list.js";
import { JSONView } from "./json-view.js";
import { countOfFaces, faceName } from "./names.js";
import { fitRows } from "./row-fit.js";

const REFRESH = 250; // milliseconds between two changes of numbers that a camera makes
const SETTLED = 800; // after which a new count of faces is read out
const AWAY = 2000; // for which a face's numbers stay when the camera does not show it
const ROWS =
  ".count, .face, .others, .details-head, h4, .note, .angles, .bars > div, summary, .hint p, .offers li, .curl";

/** Shows answers, and keeps which face is chosen. */
export class Results {
  #stage;
  #list = new FaceList(byID("faces"));
  #details = new FaceDetails(byID("details"));
  #json = new JSONView(byID("json"), byID("json-text"), byID("copy"), byID("save-json"));
  #answer = null;
  #isLive = false;
  #isWaiting = false;
  /** Whose numbers are shown, and which one is pointed at, as `keyOf`. */
  #selected;
  #pointed;
  #seenAt = 0; // when the selected face was last in an answer
  #shownAt = 0;
  #announcing = 0;

  constructor(stage) {
    this.#stage = stage;
    fitRows(byID("results"), byID("results-body"), byID("more"), ROWS);
    for (const source of [stage, this.#list]) {
      source.addEventListener("choose", ({ detail }) => this.#choose(detail.index, detail.isClick));
    }
  }

  /** Says what is waited for instead of an answer; "" for nothing any more. */
  wait(text) {
    if (!text && !this.#isWaiting) return;
    this.show(null);
    if (!text) return;
    this.#isWaiting = true;
    byID("hint").hidden = true;
    setText(byID("count"), `${text}…`);
    setText(byID("status"), text);
  }

  /** @param {object | null} answer Of the engine; null empties the list. @param {boolean} isLive One of many frames. */
  show(answer, isLive = false) {
    this.#answer = answer;
    this.#isLive = isLive;
    this.#isWaiting = false;
    if (!answer) this.#selected = this.#pointed = undefined;
    const now = performance.now();
    if (isLive && now - this.#shownAt < REFRESH) return this.#emphasise();
    this.#shownAt = now;
    byID("details").classList.toggle("live", isLive);
    byID("hint").hidden = answer !== null;
    byID("saves").hidden = !answer;
    setText(byID("count"), answer ? countOfFaces(answer.faces.length) : "Faces");
    this.#announce(answer, isLive);
    this.#json.show(answer);
    this.#renew();
  }

  #choose(index, isClick) {
    const face = this.#answer?.faces[index];
    this.#pointed = face && keyOf(face, index);
    if (isClick && face) this.#selected = this.#pointed;
    this.#renew();
  }

  #indexOf(key) {
    return (this.#answer?.faces ?? []).findIndex((face, index) => keyOf(face, index) === key);
  }

  /** Keeps to a tracked face, also while it is away for a moment: -1 then. */
  #selectedIndex() {
    const at = this.#indexOf(this.#selected);
    const now = performance.now();
    if (at >= 0) this.#seenAt = now;
    if (at >= 0 || (this.#isLive && this.#selected !== undefined && now - this.#seenAt < AWAY)) return at;
    const first = this.#answer?.faces[0];
    this.#selected = first && keyOf(first, 0);
    this.#seenAt = now;
    return first ? 0 : -1;
  }

  #emphasise() {
    this.#stage.chosen = this.#indexOf(this.#pointed);
    this.#stage.selected = this.#indexOf(this.#selected);
  }

  #renew() {
    const faces = this.#answer?.faces ?? [];
    const selected = this.#selectedIndex();
    const pointed = this.#indexOf(this.#pointed);
    this.#list.show(faces, (face) => this.#stage.faceSource(face), selected);
    const shown = pointed >= 0 ? pointed : selected;
    if (shown >= 0) this.#details.show(faces[shown], faceName(faces[shown], shown));
    else if (this.#selected !== undefined) this.#details.hold();
    else this.#details.show();
    this.#emphasise();
  }

  /** To a screen reader: at once for a picture, for a camera when the count has settled. */
  #announce(answer, isLive) {
    const text = answer ? countOfFaces(answer.faces.length) : "";
    const picture = byID("picture");
    const label = answer ? `Picture, ${text}` : "No picture yet";
    if (picture.getAttribute("aria-label") !== label) picture.setAttribute("aria-label", label);
    if (byID("status").textContent === text || (isLive && this.#announcing)) return;
    const say = () => {
      this.#announcing = 0;
      if (this.#isWaiting) return;
      setText(byID("status"), this.#answer ? countOfFaces(this.#answer.faces.length) : "");
    };
    if (isLive) this.#announcing = setTimeout(say, SETTLED);
    else say();
  }
}

/** What a face is followed by: its id, or its place in the answer about a picture. */
function keyOf(face, index) {
  return face.id ?? index;
}
