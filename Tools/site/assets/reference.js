// Doxygen's pages as part of the site: its light or dark look, and a way back.
(() => {
  let dark = matchMedia("(prefers-color-scheme: dark)").matches;
  try {
    const chosen = localStorage.getItem(new URL("../..", location).pathname + ".__palette") ??
      localStorage.getItem(new URL("..", location).pathname + ".__palette");
    if (chosen) dark = JSON.parse(chosen).color.scheme === "slate";
  } catch {
    // Without storage it is the system's look.
  }
  document.documentElement.dataset.look = dark ? "dark" : "light";
  document.addEventListener("DOMContentLoaded", () => {
    const back = document.createElement("a");
    back.id = "site";
    back.href = "../c.html";
    back.textContent = "Documentation";
    document.getElementById("titlearea")?.append(back);
  });
})();
