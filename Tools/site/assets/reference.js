// Doxygen's pages as part of the site: its light or dark look, and a way back.
(() => {
  let dark = matchMedia("(prefers-color-scheme: dark)").matches;
  try {
    const chosen = localStorage.getItem(new URL("../..", location).pathname + ".__palette");
    if (chosen) dark = JSON.parse(chosen).color.scheme === "slate";
  } catch {
    // Without storage it is the system's look.
  }
  document.addEventListener("DOMContentLoaded", () => {
    // Newer versions of Doxygen have a dark look of their own, which follows the system's.
    const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
    const isDark = red + green + blue < 384;
    if (dark !== isDark) document.documentElement.dataset.invert = "";
    document.documentElement.dataset.look = dark ? "dark" : "light";
    const back = document.createElement("a");
    back.id = "site";
    back.href = "../c.html";
    back.textContent = "← Documentation";
    document.getElementById("titlearea")?.append(back);
    // What is below the title has as much room less.
    addEventListener("load", () => dispatchEvent(new Event("resize")));
  });
})();
