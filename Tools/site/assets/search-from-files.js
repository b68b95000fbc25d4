// The search on pages that were opened as files, where a browser starts no worker from another file: it is started from its text.
if (location.protocol === "file:") {
  document.write(`<script src="${document.currentScript.dataset.worker}"></` + "script>");
  const FileWorker = window.Worker;
  window.Worker = class extends FileWorker {
    constructor() {
      super(URL.createObjectURL(new Blob([searchWorker], { type: "text/javascript" })));
    }
  };
}
