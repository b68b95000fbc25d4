// What was found, beside the picture: how many faces, the list, the numbers of one, the JSON.
import { byID, setText } from "./dom.js";
import { FaceDetails } from "./face-details.js";
import { FaceList } from "./face-list.js";
import { JSONView } from "./json-view.js";
import { countOfFaces, faceName } from "./names.js";
import { fitRows } from "./row-fit.js";

const REFRESH = 250; // milliseconds between two changes of numbers that a camera makes
const SETTLED = 800; // after which a new count of faces is read out
const ROWS = ".count, .face, .details-head, h4, .note, .angles, .bars > div, summary, .hint p, .offers li, .curl";

/** Shows answers, and keeps which face is chosen. */
export class Results {
  #stage;
  #list = new FaceList(byID("faces"));
  #details = new FaceDetails(byID("details"));
  #json = new JSONView(byID("json"), byID("json-text"), byID("copy"));
  #answer = null;
  #selected = { index: 0, id: undefined };
  #pointed = -1;
  #shownAt = 0;
  #announcing = 0;

  constructor(stage) {
    this.#stage = stage;
    fitRows(byID("results"), byID("results-body"), byID("more"), ROWS);
    for (const source of [stage, this.#list]) {
      source.addEventListener("choose", ({ detail }) => this.#choose(detail.index, detail.isClick));
    }
  }

  /** @param {object | null} answer Of the engine; null empties the list. @param {boolean} isLive One of many frames. */
  show(answer, isLive = false) {
    this.#answer = answer;
    const now = performance.now();
    if (isLive && now - this.#shownAt < REFRESH) return this.#emphasise();
    this.#shownAt = now;
    byID("details").classList.toggle("live", isLive);
    byID("hint").hidden = answer !== null;
    setText(byID("count"), answer ? countOfFaces(answer.faces.length) : "Faces");
    this.#announce(answer, isLive);
    this.#json.show(answer);
    this.#renew();
  }

  #choose(index, isClick) {
    this.#pointed = index;
    if (isClick && this.#answer?.faces[index]) this.#selected = { index, id: this.#answer.faces[index].id };
    this.#renew();
  }

  /** Follows a tracked face by its id. */
  #selectedIndex() {
    const faces = this.#answer?.faces ?? [];
    const byTrack = this.#selected.id === undefined ? -1 : faces.findIndex((face) => face.id === this.#selected.id);
    if (byTrack >= 0) return byTrack;
    return this.#selected.index < faces.length ? this.#selected.index : 0;
  }

  #emphasise() {
    this.#stage.chosen = this.#pointed < (this.#answer?.faces.length ?? 0) ? this.#pointed : -1;
  }

  #renew() {
    const faces = this.#answer?.faces ?? [];
    const selected = this.#selectedIndex();
    const shown = faces[this.#pointed] ? this.#pointed : selected;
    this.#list.show(faces, (face) => this.#stage.faceSource(face), selected);
    const face = faces[shown];
    this.#details.show(face, face && faceName(face, shown));
    this.#stage.selected = selected;
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
      setText(byID("status"), this.#answer ? countOfFaces(this.#answer.faces.length) : "");
    };
    if (isLive) this.#announcing = setTimeout(say, SETTLED);
    else say();
  }
}
